// SPDX-License-Identifier: MIT
//! A client of the Rust SDK for the tasks of workbench-server and tasks-server,
//! in 2026-07-28.
//!
//! usage: rust-tasks-client workbench|tasks COMMAND [ARGUMENT]...
//!        rust-tasks-client workbench|tasks URL
//!
//! Prints a line for each test.
use std::{
    collections::BTreeMap,
    error::Error,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::Duration,
};

use rmcp::{
    ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceError,
    model::*,
    service::RunningService,
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Value, json};
use tokio::{io, net, process::Command, time};

type Client = RunningService<RoleClient, ClientConfig>;
type Outcome = Result<(), Box<dyn Error>>;

macro_rules! same {
    ($found:expr, $expected:expr) => {{
        let (found, expected) = ($found, $expected);
        if found != expected {
            return Err(format!("{found:?} is not {expected:?}").into());
        }
    }};
}

/// A Unix socket that leads to the server of a URL: the SDK's other HTTP client
/// needs a library for TLS. The socket has an abstract name, so no file is left.
fn bridge(url: &str) -> Result<String, Box<dyn Error>> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let address = url["http://".len()..]
        .split('/')
        .next()
        .unwrap_or("")
        .to_owned();
    let name = format!(
        "interop-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Relaxed)
    );
    let listener = net::UnixListener::bind(format!("\0{name}"))?;
    tokio::spawn(async move {
        while let Ok((mut from, _)) = listener.accept().await {
            let address = address.clone();
            tokio::spawn(async move {
                let mut to = net::TcpStream::connect(address).await?;
                io::copy_bidirectional(&mut from, &mut to).await
            });
        }
    });
    Ok(format!("@{name}"))
}

/// Connects; `has_tasks`: the client declares the extension.
#[allow(deprecated)] // sampling is, in this SDK
async fn connect(command: &[String], has_tasks: bool) -> Result<Client, Box<dyn Error>> {
    let capabilities = if has_tasks {
        ClientCapabilities::builder()
            .enable_tasks()
            .enable_elicitation()
            .enable_sampling()
            .build()
    } else {
        ClientCapabilities::default()
    };
    let lifecycle = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    let config = ClientConfig::new(capabilities, Implementation::new("interop", "1.0.0"));
    let target = &command[0];
    if target.starts_with("http://") {
        let transport =
            StreamableHttpClientTransport::from_unix_socket(&bridge(target)?, target.as_str());
        return Ok(config.serve_with_lifecycle(transport, lifecycle).await?);
    }
    let mut server = Command::new(target);
    server.args(&command[1..]);
    Ok(config
        .serve_with_lifecycle(TokioChildProcess::new(server)?, lifecycle)
        .await?)
}

fn params(name: &str, arguments: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(name.to_owned())
        .with_arguments(serde_json::from_value(arguments).unwrap())
}

async fn start(client: &Client, name: &str, arguments: Value) -> Result<Task, Box<dyn Error>> {
    match client.call_tool_once(params(name, arguments)).await? {
        CallToolResponse::Task(made) => Ok(made.task),
        other => Err(format!("{other:?} is not a task").into()),
    }
}

async fn get(client: &Client, id: &str) -> Result<DetailedTask, ServiceError> {
    Ok(client.peer().get_task(GetTaskParams::new(id)).await?.task)
}

/// Polls until the task has another status than `working`.
async fn wait(client: &Client, task: &Task) -> Result<DetailedTask, Box<dyn Error>> {
    loop {
        let now = get(client, &task.task_id).await?;
        if now.status() != TaskStatus::Working {
            return Ok(now);
        }
        time::sleep(Duration::from_millis(50)).await;
    }
}

/// The text of a task that has completed.
async fn text(client: &Client, task: &Task) -> Result<String, Box<dyn Error>> {
    match wait(client, task).await?.payload {
        TaskPayload::Completed { result } => Ok(result["content"][0]["text"]
            .as_str()
            .unwrap_or("")
            .to_owned()),
        other => Err(format!("{other:?} is not completed").into()),
    }
}

/// Answers the one question that the task waits for. Returns its message.
async fn answer(client: &Client, task: &Task, reply: Value) -> Result<Value, Box<dyn Error>> {
    let TaskPayload::InputRequired { input_requests } = wait(client, task).await?.payload else {
        return Err("there is no question".into());
    };
    let (key, question) = input_requests
        .into_iter()
        .next()
        .ok_or("there is no question")?;
    let replies = serde_json::from_value(json!(BTreeMap::from([(key, reply)])))?;
    client
        .peer()
        .update_task(UpdateTaskParams::new(task.task_id.clone(), replies))
        .await?;
    Ok(serde_json::to_value(question)?["params"].take())
}

async fn cancel(client: &Client, task: &Task) -> Outcome {
    client
        .peer()
        .cancel_task(CancelTaskParams::new(task.task_id.clone()))
        .await?;
    same!(wait(client, task).await?.status(), TaskStatus::Cancelled);
    Ok(())
}

fn code<T>(result: Result<T, ServiceError>) -> i32 {
    match result {
        Err(ServiceError::McpError(error)) => error.code.0,
        _ => 0,
    }
}

// --- workbench-server --------------------------------------------------------

async fn follows(client: &Client) -> Outcome {
    let task = start(client, "count_slowly", json!({"to": 20, "delay_ms": 50})).await?;
    same!(
        (task.status, task.poll_interval_ms, task.ttl_ms),
        (TaskStatus::Working, Some(1000), Some(3_600_000))
    );
    let mut message = None;
    while message.is_none() {
        message = get(client, &task.task_id).await?.task.status_message;
    }
    same!(
        message.is_some_and(|words| words.starts_with("counting (")),
        true
    );
    same!(text(client, &task).await?, "Counted to 20");
    Ok(())
}

async fn cancels(client: &Client) -> Outcome {
    let task = start(client, "count_slowly", json!({"to": 10000})).await?;
    cancel(client, &task).await?;
    cancel(client, &task).await
}

async fn unknown(client: &Client) -> Outcome {
    same!(code(get(client, "nobody").await), -32602);
    same!(
        code(
            client
                .peer()
                .cancel_task(CancelTaskParams::new("nobody"))
                .await
        ),
        -32602
    );
    same!(
        code(
            client
                .peer()
                .update_task(UpdateTaskParams::new("nobody", BTreeMap::new()))
                .await
        ),
        -32602
    );
    Ok(())
}

async fn waits(client: &Client) -> Outcome {
    let result = client
        .call_tool(params("count_slowly", json!({"to": 3, "delay_ms": 1})))
        .await?;
    same!(
        result.content[0].as_text().map(|text| text.text.as_str()),
        Some("Counted to 3")
    );
    Ok(())
}

// --- tasks-server ------------------------------------------------------------

async fn asks(client: &Client) -> Outcome {
    let task = start(client, "ask", json!({})).await?;
    let who = answer(
        client,
        &task,
        json!({"action": "accept", "content": {"name": "Ada"}}),
    )
    .await?;
    same!(who["message"].as_str(), Some("Who are you?"));
    let age = answer(
        client,
        &task,
        json!({"action": "accept", "content": {"years": 36}}),
    )
    .await?;
    same!(age["message"].as_str(), Some("How old are you, Ada?"));
    same!(text(client, &task).await?, "Ada is 36");
    Ok(())
}

async fn samples(client: &Client) -> Outcome {
    let task = start(client, "think", json!({})).await?;
    let paris =
        json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "Paris"}});
    same!(
        answer(client, &task, paris).await?["maxTokens"].as_i64(),
        Some(100)
    );
    same!(text(client, &task).await?, "Paris");
    Ok(())
}

async fn fails(client: &Client) -> Outcome {
    let task = start(client, "fail", json!({})).await?;
    same!(text(client, &task).await?, "disk 3 is full");
    Ok(())
}

async fn refuses(client: &Client) -> Outcome {
    let task = start(client, "refuse", json!({})).await?;
    let TaskPayload::Failed { error } = wait(client, &task).await?.payload else {
        return Err("it has not failed".into());
    };
    same!(
        (&error["code"], &error["data"]),
        (&json!(42), &json!({"retry": "tomorrow"}))
    );
    Ok(())
}

async fn reaches(client: &Client) -> Outcome {
    let task = start(client, "wait", json!({})).await?;
    cancel(client, &task).await?;
    let result = client.call_tool(params("cancelled", json!({}))).await?;
    same!(
        result.content[0].as_text().map(|text| text.text.as_str()),
        Some("1")
    );
    Ok(())
}

async fn withdraws(client: &Client) -> Outcome {
    let task = start(client, "ask", json!({})).await?;
    same!(
        wait(client, &task).await?.status(),
        TaskStatus::InputRequired
    );
    cancel(client, &task).await
}

async fn requires(client: &Client) -> Outcome {
    same!(
        code(client.call_tool_once(params("ask", json!({}))).await),
        -32021
    );
    same!(code(get(client, "nobody").await), -32021);
    Ok(())
}

// -----------------------------------------------------------------------------

fn report(name: &str, outcome: Outcome) -> bool {
    match &outcome {
        Ok(()) => println!("ok {name}"),
        Err(why) => println!("not ok {name}: {}", why.to_string().replace('\n', " ")),
    }
    outcome.is_ok()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().collect();
    let (what, command) = (words[1].as_str(), &words[2..]);
    let client = connect(command, true).await?;
    let plain = connect(command, false).await?;
    let mut is_good = report("connecting", Ok(()));
    if what == "workbench" {
        is_good &= report("polling a task", follows(&client).await);
        is_good &= report("cancelling", cancels(&client).await);
        is_good &= report("an unknown id", unknown(&client).await);
        is_good &= report("a client without tasks", waits(&plain).await);
    } else {
        is_good &= report("questions", asks(&client).await);
        is_good &= report("sampling", samples(&client).await);
        is_good &= report("failure", fails(&client).await);
        is_good &= report("an error", refuses(&client).await);
        is_good &= report("cancellation reaches the handler", reaches(&client).await);
        is_good &= report("cancelling a task that asks", withdraws(&client).await);
        is_good &= report("a tool that requires a task", requires(&plain).await);
    }
    client.cancel().await?;
    plain.cancel().await?;
    std::process::exit(if is_good { 0 } else { 1 });
}
