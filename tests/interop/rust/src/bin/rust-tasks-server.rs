// SPDX-License-Identifier: MIT
//! A server with tasks of 2026-07-28 for our client, on the Rust SDK.
//!
//! usage: rust-tasks-server [http]
//!
//! Departures of the SDK that the tests pass by:
//! - It knows no `taskIds` in `subscriptions/listen`, and reports no changes of
//!   tasks. The client asks for the status instead.
use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::*,
    service::RequestContext,
    task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions},
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, stdio,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use serde_json::json;

#[derive(Clone, Default)]
struct Peer {
    tasks: TaskManager,
}

fn text(value: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(value.into())])
}

async fn ask(
    task: &TaskContext,
    key: &str,
    question: serde_json::Value,
) -> Result<serde_json::Value, TaskExit> {
    let question = serde_json::from_value(question)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    task.request_input(key, question).await
}

/// Waits, unless the task is cancelled.
async fn pause(task: &TaskContext) -> Result<(), TaskExit> {
    tokio::select! {
        _ = task.cancelled() => Err(TaskExit::Cancelled),
        _ = tokio::time::sleep(Duration::from_millis(300)) => Ok(()),
    }
}

async fn interview(task: TaskContext) -> Result<CallToolResult, TaskExit> {
    task.set_status_message("thinking of a question");
    pause(&task).await?;
    let form = json!({"method": "elicitation/create", "params": {
        "mode": "form", "message": "Who are you?", "requestedSchema": {
            "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}});
    let who = ask(&task, "who", form).await?;
    task.set_status_message("thinking of an answer");
    pause(&task).await?;
    let name = who["content"]["name"].as_str().or(who["action"].as_str());
    Ok(text(format!("Hello {}", name.unwrap_or("?"))))
}

async fn think(task: TaskContext) -> Result<CallToolResult, TaskExit> {
    let sample = json!({"method": "sampling/createMessage", "params": {"maxTokens": 100, "messages": [
        {"role": "user", "content": {"type": "text", "text": "Capital of France?"}}]}});
    let answer = ask(&task, "capital", sample).await?;
    Ok(text(answer["content"]["text"].as_str().unwrap_or("?")))
}

async fn fail(_: TaskContext) -> Result<CallToolResult, TaskExit> {
    Ok(CallToolResult::error(vec![ContentBlock::text(
        "disk 3 is full",
    )]))
}

async fn refuse(_: TaskContext) -> Result<CallToolResult, TaskExit> {
    let data = json!({"retry": "tomorrow"});
    Err(ErrorData::new(ErrorCode(42), "not today", Some(data)).into())
}

impl ServerHandler for Peer {
    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema: Arc<JsonObject> =
            Arc::new(serde_json::from_value(json!({"type": "object"})).unwrap());
        let names = ["interview", "think", "fail", "refuse"];
        let tools = names.map(|name| Tool::new(name, name, schema.clone()));
        Ok(ListToolsResult::with_all_items(tools.into()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !context
            .client_capabilities()
            .is_some_and(|has| has.supports_tasks())
        {
            return Ok(text("only as a task").into());
        }
        let options = TaskOptions::new().with_poll_interval_ms(100);
        let task = match request.name.as_ref() {
            "interview" => self.tasks.spawn(options, |task| Box::pin(interview(task))),
            "think" => self.tasks.spawn(options, |task| Box::pin(think(task))),
            "fail" => self.tasks.spawn(options, |task| Box::pin(fail(task))),
            "refuse" => self.tasks.spawn(options, |task| Box::pin(refuse(task))),
            _ => return Err(ErrorData::invalid_params("no such tool", None)),
        };
        Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get_task(&request.task_id)?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks
            .update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&request.task_id)
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_tasks()
                .build(),
        )
    }
}

async fn serve_http(peer: Peer) -> Result<(), Box<dyn std::error::Error>> {
    let service = StreamableHttpService::new(
        move || Ok(peer.clone()),
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let peer = Peer::default();
    if std::env::args().nth(1).as_deref() == Some("http") {
        return serve_http(peer).await;
    }
    peer.serve(stdio()).await?.waiting().await?;
    Ok(())
}
