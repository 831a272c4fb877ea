/* SPDX-License-Identifier: MIT */
/* Every public function takes NULL, as mcp/mcp.h says; scripts/check-symbols
 * fails when one is missing here. */
#include "support/cm.h"

#include <mcp/mcp.h>

#define IS(expected, call) assert_int_equal(call, expected)
#define INVALID(call) IS(MCP_ERR_INVALID, call)
#define NONE(call) assert_null(call)

TEST(null_is_safe_in_allocator) {
  assert_non_null(mcp_allocator_default());
}

static void free_text(char *text) {
  assert_non_null(text);
  mcp_text_free(text);
}

TEST(null_is_safe_in_apps) {
  INVALID(mcp_server_add_app(NULL, NULL, NULL));
  INVALID(mcp_server_add_app_tool(NULL, NULL, NULL, 0, NULL));
  IS(0, mcp_call_client_shows_apps(NULL));
  IS(0, mcp_app_is_supported(NULL, NULL));
  IS(0, mcp_app_is_mime_type(NULL));
  NONE(mcp_app_tool_uri(NULL));
  IS(0, mcp_app_tool_is_for_model(NULL));
  IS(0, mcp_app_tool_is_for_app(NULL));
  NONE(mcp_app_needs(NULL, NULL));
  free_text(mcp_app_csp(NULL, NULL));
  IS(0, mcp_app_permissions(NULL));
  free_text(mcp_app_allow(0));
}

TEST(null_is_safe_in_auth) {
  NONE(mcp_auth_new(NULL, NULL, NULL));
  mcp_auth_free(NULL);
  assert_false(mcp_auth_is_renewing(NULL));
  INVALID(mcp_auth_login(NULL, NULL, 0, NULL, NULL, NULL));
  INVALID(mcp_auth_logout(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_auth_list(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_auth_redirected(NULL, 0, NULL, NULL));
  INVALID(mcp_auth_assert(NULL, 0, NULL, NULL));
  INVALID(mcp_auth_give_token(NULL, 0, NULL, 0, NULL));
  INVALID(mcp_auth_give_client(NULL, 0, NULL, NULL, NULL));
  INVALID(mcp_auth_abandon(NULL, 0, NULL, NULL));
  INVALID(mcp_auth_open_browser(NULL, NULL, NULL));
  INVALID(mcp_auth_store_memory(NULL, NULL));
  INVALID(mcp_auth_store_files(NULL, NULL, NULL, NULL));
  INVALID(mcp_auth_store_keyring(NULL, NULL, NULL));
}

TEST(null_is_safe_in_call) {
  assert_non_null(mcp_call_arguments(NULL));
  NONE(mcp_call_argument(NULL, NULL));
  assert_true(mcp_call_number(NULL, NULL) == 0);
  IS(0, mcp_call_int(NULL, NULL));
  IS(0, mcp_call_bool(NULL, NULL));
  NONE(mcp_call_string(NULL, NULL));
  NONE(mcp_call_string_n(NULL, NULL, NULL));
  INVALID(mcp_call_try_number(NULL, NULL, NULL));
  INVALID(mcp_call_try_int(NULL, NULL, NULL));
  INVALID(mcp_call_try_bool(NULL, NULL, NULL));
  INVALID(mcp_call_try_string(NULL, NULL, NULL));
  NONE(mcp_call_method(NULL));
  NONE(mcp_call_name(NULL));
  NONE(mcp_call_uri(NULL));
  NONE(mcp_call_params(NULL));
  NONE(mcp_call_meta(NULL));
  NONE(mcp_call_complete_argument(NULL));
  NONE(mcp_call_complete_value(NULL));
  NONE(mcp_call_complete_value_n(NULL, NULL));
  NONE(mcp_call_complete_context(NULL));
  NONE(mcp_call_server(NULL));
  NONE(mcp_call_loop(NULL));
  NONE(mcp_call_revision(NULL));
  NONE(mcp_call_session(NULL));
  NONE(mcp_call_principal(NULL));
  NONE(mcp_call_claims(NULL));
  NONE(mcp_call_scopes(NULL));
  IS(0, mcp_call_has_scopes(NULL, NULL));
  NONE(mcp_call_peer(NULL));
  NONE(mcp_call_client_info(NULL));
  assert_non_null(mcp_call_client_capabilities(NULL));
  IS(0, mcp_call_client_has(NULL, NULL));
  INVALID(mcp_call_add_content(NULL, NULL));
  INVALID(mcp_call_add_text(NULL, NULL));
  INVALID(mcp_call_add_text_n(NULL, NULL, 0));
  INVALID(mcp_call_add_textf(NULL, "%d", 1));
  INVALID(mcp_call_add_image(NULL, NULL, 0, NULL));
  INVALID(mcp_call_add_audio(NULL, NULL, 0, NULL));
  INVALID(mcp_call_set_role(NULL, 0));
  INVALID(mcp_call_set_description(NULL, NULL));
  INVALID(mcp_call_add_resource_text(NULL, NULL, NULL, NULL));
  INVALID(mcp_call_add_resource_text_n(NULL, NULL, NULL, NULL, 0));
  INVALID(mcp_call_add_resource_data(NULL, NULL, NULL, NULL, 0));
  INVALID(mcp_call_set_structured(NULL, NULL));
  INVALID(mcp_call_add_completion(NULL, NULL));
  INVALID(mcp_call_set_cache(NULL, 0, 0));
  INVALID(mcp_call_set_meta(NULL, NULL, NULL));
  INVALID(mcp_call_reply(NULL));
  INVALID(mcp_call_reply_text(NULL, NULL));
  INVALID(mcp_call_reply_text_n(NULL, NULL, 0));
  INVALID(mcp_call_reply_textf(NULL, "%d", 1));
  INVALID(mcp_call_reply_number(NULL, 0.0));
  INVALID(mcp_call_reply_structured(NULL, NULL));
  NONE(mcp_call_structured(NULL));
  INVALID(mcp_call_reply_builder(NULL, NULL));
  INVALID(mcp_call_reply_failure(NULL, "%d", 1));
  INVALID(mcp_call_reply_failure_n(NULL, NULL, 0));
  INVALID(mcp_call_reply_error(NULL, 0, NULL, NULL));
  INVALID(mcp_call_reply_json(NULL, NULL));
  INVALID(mcp_call_reply_urls_required(NULL, NULL, 0));
  INVALID(mcp_call_defer(NULL));
  mcp_call_drop(NULL);
  INVALID(mcp_call_progress(NULL, 0.0, 0.0, NULL));
  INVALID(mcp_call_flush(NULL));
  INVALID(mcp_call_log(NULL, 0, NULL, NULL));
  INVALID(mcp_call_logf(NULL, 0, "%d", 1));
  INVALID(mcp_call_close_stream(NULL, 0));
  IS(0, mcp_call_is_cancelled(NULL));
  INVALID(mcp_call_on_cancel(NULL, NULL, NULL));
  INVALID(mcp_call_ask_elicit(NULL, NULL, NULL, NULL));
  INVALID(mcp_call_ask_url(NULL, NULL, NULL, NULL, NULL, NULL));
  IS(0, mcp_answer_action(NULL));
  INVALID(mcp_call_ask_sample(NULL, NULL, NULL, NULL));
  INVALID(mcp_call_ask_roots(NULL, NULL, NULL));
  INVALID(mcp_call_set_state(NULL, NULL));
  INVALID(mcp_call_make_task(NULL));
  NONE(mcp_call_task_id(NULL));
  NONE(mcp_call_state(NULL));
}

TEST(null_is_safe_in_client) {
  NONE(mcp_result_json(NULL));
  IS(0, mcp_result_count(NULL));
  NONE(mcp_result_item(NULL, 0));
  NONE(mcp_result_text(NULL));
  NONE(mcp_result_text_n(NULL, NULL));
  NONE(mcp_result_bytes(NULL, NULL));
  NONE(mcp_result_structured(NULL));
  IS(0, mcp_result_is_failure(NULL));
  IS(0, mcp_result_is_checked(NULL));
  NONE(mcp_result_ref(NULL));
  mcp_result_unref(NULL);
  NONE(mcp_client_new(NULL, NULL, NULL, NULL, NULL));
  mcp_client_free(NULL);
  NONE(mcp_client_loop(NULL));
  INVALID(mcp_client_connect(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_connect_command(NULL, NULL, NULL, NULL, NULL));
  mcp_client_close(NULL);
  NONE(mcp_client_revision(NULL));
  NONE(mcp_client_server_info(NULL));
  NONE(mcp_client_server_capabilities(NULL));
  NONE(mcp_client_instructions(NULL));
  IS(0, mcp_client_server_has(NULL, NULL));
  NONE(mcp_client_verdict(NULL));
  NONE(mcp_client_session_id(NULL));
  INVALID(mcp_client_list_tools(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_list_resources(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_list_resource_templates(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_list_prompts(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_call_tool(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_read_resource(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_get_prompt(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_complete(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                              NULL, NULL));
  INVALID(mcp_client_subscribe(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_unsubscribe(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_set_log_level(NULL, 0, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_ping(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_discover(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_listen(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_request(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_notify(NULL, NULL, NULL, NULL));
  INVALID(mcp_client_cancel(NULL, 0, NULL));
  INVALID(mcp_client_set_roots(NULL, NULL, NULL));
  NONE(mcp_question_method(NULL));
  NONE(mcp_question_params(NULL));
  NONE(mcp_question_client(NULL));
  IS(1, mcp_question_is_cancelled(NULL));
  INVALID(mcp_question_accept(NULL, NULL, NULL));
  INVALID(mcp_question_decline(NULL));
  INVALID(mcp_question_cancel(NULL));
  INVALID(mcp_question_answer(NULL, NULL, NULL));
  INVALID(mcp_question_fail(NULL, 0, NULL));
}

TEST(null_is_safe_in_error) {
  assert_non_null(mcp_error_text(0));
  assert_non_null(mcp_error_name(0));
  IS(0, mcp_error_set(NULL, 0, "%d", 1));
}

TEST(null_is_safe_in_fields) {
  NONE(mcp_struct_from_json(NULL, NULL, NULL, NULL));
  mcp_struct_free(NULL);
  INVALID(mcp_struct_write(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_struct_write(NULL, "", NULL, NULL, NULL));
  NONE(mcp_struct_to_text(NULL, NULL, NULL));
  assert_non_null(mcp_struct_functions());
  NONE(mcp_enum_name(NULL, 0));
  INVALID(mcp_call_get_struct(NULL, NULL, NULL));
  INVALID(mcp_call_reply_struct(NULL, NULL, NULL));
  INVALID(mcp_result_get_struct(NULL, NULL, NULL, NULL));
  INVALID(mcp_result_check(NULL, NULL));
  INVALID(
      mcp_client_call_struct(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
}

TEST(null_is_safe_in_http) {
  NONE(mcp_http_new(NULL, NULL, NULL, NULL));
  mcp_http_free(NULL);
  NONE(mcp_http_begin(NULL, NULL, NULL, NULL));
  mcp_http_body(NULL, NULL, 0);
  mcp_http_gone(NULL);
  NONE(mcp_server_listen_http(NULL, NULL, NULL, NULL));
  NONE(mcp_http_listener_url(NULL));
  mcp_http_listener_drain(NULL, NULL, NULL);
  IS(0, mcp_http_listener_connection_count(NULL));
  INVALID(mcp_http_listener_reload(NULL, NULL));
  mcp_http_listener_free(NULL);
}

TEST(null_is_safe_in_http_client) {
  NONE(mcp_transport_http(NULL, NULL, NULL, NULL));
  NONE(mcp_transport_websocket(NULL, NULL, NULL, NULL));
  NONE(mcp_transport_post(NULL, NULL, NULL, NULL));
  NONE(mcp_transport_sse(NULL, NULL, NULL, NULL));
  INVALID(mcp_client_connect_url(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_connect_url(NULL, NULL, NULL, NULL));
}

TEST(null_is_safe_in_json) {
  IS(0, mcp_json_type(NULL));
  assert_non_null(mcp_json_type_name(0));
  IS(0, mcp_json_bool(NULL));
  assert_true(mcp_json_number(NULL) == 0);
  IS(0, mcp_json_int(NULL));
  INVALID(mcp_json_try_int(NULL, NULL));
  IS(0, mcp_json_is_integer(NULL));
  NONE(mcp_json_string(NULL));
  NONE(mcp_json_string_n(NULL, NULL));
  IS(0, mcp_json_size(NULL));
  NONE(mcp_json_get(NULL, NULL));
  NONE(mcp_json_get_n(NULL, NULL, 0));
  NONE(mcp_json_at(NULL, 0));
  NONE(mcp_json_pointer(NULL, NULL));
  IS(1, mcp_json_equal(NULL, NULL));
  NONE(mcp_json_to_text(NULL, NULL));
  mcp_text_free(NULL);
  mcp_json_iter_init(NULL, NULL);
  NONE(mcp_json_iter_next(NULL, NULL));
  NONE(mcp_doc_parse(NULL, 0, NULL, NULL, NULL));
  NONE(mcp_doc_root(NULL));
  mcp_doc_free(NULL);
  mcp_builder_free(mcp_builder_new(NULL, NULL));
  mcp_builder_free(NULL);
  mcp_builder_clear(NULL);
  IS(MCP_ERR_NOMEM, mcp_builder_object(NULL, NULL));
  IS(MCP_ERR_NOMEM, mcp_builder_array(NULL, NULL));
  IS(MCP_ERR_NOMEM, mcp_builder_end(NULL));
  IS(MCP_ERR_NOMEM, mcp_builder_string(NULL, NULL, NULL));
  IS(MCP_ERR_NOMEM, mcp_builder_string_n(NULL, NULL, NULL, 0));
  IS(MCP_ERR_NOMEM, mcp_builder_number(NULL, NULL, 0.0));
  IS(MCP_ERR_NOMEM, mcp_builder_int(NULL, NULL, 0));
  IS(MCP_ERR_NOMEM, mcp_builder_bool(NULL, NULL, 0));
  IS(MCP_ERR_NOMEM, mcp_builder_null(NULL, NULL));
  IS(MCP_ERR_NOMEM, mcp_builder_value(NULL, NULL, NULL));
  IS(MCP_ERR_NOMEM, mcp_builder_json(NULL, NULL, NULL));
  IS(MCP_ERR_NOMEM, mcp_builder_name_n(NULL, NULL, 0));
  NONE(mcp_builder_text(NULL, NULL));
  IS(MCP_ERR_NOMEM, mcp_builder_error(NULL)->code);
}

TEST(null_is_safe_in_loop) {
  mcp_loop_free(mcp_loop_new_manual(NULL, NULL, NULL));
  mcp_loop_advance(NULL, 0, 0);
  assert_true(mcp_loop_next_deadline(NULL) == INT64_MAX);
  INVALID(mcp_loop_post(NULL, NULL, NULL));
  mcp_loop_free(NULL);
  NONE(mcp_timer_new(NULL, NULL, NULL, NULL));
  INVALID(mcp_timer_start(NULL, 0, 0));
  mcp_timer_stop(NULL);
  mcp_timer_free(NULL);
  mcp_loop_free(mcp_loop_new(NULL, NULL));
  INVALID(mcp_loop_run(NULL));
  mcp_loop_stop(NULL);
  INVALID(mcp_loop_fd(NULL));
  INVALID(mcp_loop_timeout_ms(NULL));
  INVALID(mcp_loop_step(NULL));
  INVALID(mcp_loop_wait(NULL, 0));
}

TEST(null_is_safe_in_main) {
  IS(1, mcp_main(NULL, 0, NULL));
  IS(1, mcp_main_with(NULL, 0, NULL, NULL));
}

TEST(null_is_safe_in_protect) {
  INVALID(mcp_token_accept(NULL, NULL, NULL));
  mcp_token_refuse(NULL, NULL);
}

TEST(null_is_safe_in_schema) {
  INVALID(mcp_schema_build(NULL, NULL, NULL, NULL));
  NONE(mcp_validator_new(NULL, NULL, NULL));
  NONE(mcp_validator_ref(NULL));
  mcp_validator_unref(NULL);
  IS(0, mcp_validator_accepts(NULL, NULL));
  INVALID(mcp_validator_check(NULL, NULL, NULL, NULL));
  INVALID(mcp_validator_apply_defaults(NULL, NULL, NULL, NULL));
  INVALID(mcp_regex_provide(NULL));
  assert_non_null(mcp_regex_pcre2());
}

TEST(null_is_safe_in_server) {
  NONE(mcp_server_new(NULL, NULL, NULL, NULL));
  mcp_server_free(NULL);
  NONE(mcp_server_error(NULL));
  NONE(mcp_server_userdata(NULL));
  INVALID(mcp_server_connect(NULL, NULL, NULL, NULL, NULL, NULL));
  mcp_connection_close(NULL, 0);
  mcp_server_drain(NULL, 0);
  IS(0, mcp_server_connection_count(NULL));
  mcp_session_set_userdata(NULL, NULL);
  NONE(mcp_session_userdata(NULL));
  NONE(mcp_session_revision(NULL));
  NONE(mcp_session_id(NULL));
  NONE(mcp_session_client_info(NULL));
  NONE(mcp_session_client_capabilities(NULL));
  INVALID(mcp_server_add_tool(NULL, NULL, NULL));
  INVALID(mcp_server_remove_tool(NULL, NULL));
  INVALID(mcp_server_add_resource(NULL, NULL, NULL));
  INVALID(mcp_server_remove_resource(NULL, NULL));
  INVALID(mcp_server_resource_updated(NULL, NULL));
  INVALID(mcp_server_add_resource_template(NULL, NULL, NULL));
  INVALID(mcp_server_remove_resource_template(NULL, NULL));
  INVALID(mcp_server_add_prompt(NULL, NULL, NULL));
  INVALID(mcp_server_remove_prompt(NULL, NULL));
  INVALID(mcp_server_enable_logging(NULL));
  INVALID(mcp_server_log(NULL, 0, NULL, NULL));
  INVALID(mcp_session_elicitation_complete(NULL, NULL));
  INVALID(mcp_server_add_method(NULL, NULL, NULL));
  INVALID(mcp_server_add_extension(NULL, NULL, NULL, NULL));
  INVALID(mcp_server_add_experimental(NULL, NULL, NULL, NULL));
  INVALID(mcp_server_enable_tasks(NULL, NULL, NULL));
  INVALID(mcp_server_add_listen_filter(NULL, NULL, NULL));
  INVALID(mcp_server_add_listen_values(NULL, NULL, NULL, NULL));
  INVALID(mcp_server_notify_listeners(NULL, NULL, NULL, NULL));
  INVALID(mcp_server_notify_listeners_of(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_session_notify(NULL, NULL, NULL));
  INVALID(mcp_server_on_roots(NULL, NULL, NULL));
  INVALID(mcp_server_add_skills(NULL, NULL, NULL, NULL));
}

TEST(null_is_safe_in_skills) {
  NONE(mcp_skill_new(NULL, NULL, NULL));
  mcp_skill_free(NULL);
  NONE(mcp_skill_name(NULL));
  NONE(mcp_skill_description(NULL));
  NONE(mcp_skill_uri(NULL));
  NONE(mcp_skill_frontmatter(NULL));
  IS(0, mcp_skill_is_dynamic(NULL));
  IS(0, mcp_skill_file_count(NULL));
  NONE(mcp_skill_file_at(NULL, 0));
  NONE(mcp_skill_find(NULL, NULL));
  INVALID(mcp_client_list_skills(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_get_skill(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_read_skill(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(
      mcp_client_list_skill_folder(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_list_skills(NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_get_skill(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_read_skill(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_list_skill_folder(NULL, NULL, NULL, NULL, NULL, NULL));
}

TEST(null_is_safe_in_tasks_of_clients) {
  NONE(mcp_result_task_id(NULL));
  NONE(mcp_result_task_status(NULL));
  INVALID(mcp_client_start_task(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_get_task(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_wait_task(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_answer_task(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_cancel_task(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_client_list_tasks(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_start_task(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_get_task(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_wait_task(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_answer_task(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_cancel_task(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_list_tasks(NULL, NULL, NULL, NULL));
}

TEST(null_is_safe_in_socket) {
  NONE(mcp_server_listen_socket(NULL, NULL, NULL, NULL));
  NONE(mcp_socket_listener_url(NULL));
  IS(0, mcp_socket_listener_connection_count(NULL));
  mcp_socket_listener_drain(NULL, NULL, NULL);
  mcp_socket_listener_free(NULL);
  NONE(mcp_transport_socket(NULL, NULL, NULL, NULL));
}

TEST(null_is_safe_in_sync) {
  INVALID(mcp_sync_connect(NULL, NULL, NULL));
  INVALID(mcp_sync_connect_command(NULL, NULL, NULL));
  INVALID(mcp_sync_close(NULL));
  INVALID(mcp_sync_list_tools(NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_list_resources(NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_list_resource_templates(NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_list_prompts(NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_call_tool(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_call_struct(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_read_resource(NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_get_prompt(NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(
      mcp_sync_complete(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_subscribe(NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_unsubscribe(NULL, NULL, NULL, NULL));
  INVALID(mcp_sync_set_log_level(NULL, 0, NULL, NULL));
  INVALID(mcp_sync_ping(NULL, NULL, NULL));
  INVALID(mcp_sync_request(NULL, NULL, NULL, NULL, NULL, NULL));
}

TEST(null_is_safe_in_transport) {
  INVALID(mcp_memory_pair(NULL, NULL, NULL, NULL));
  mcp_transport_free(NULL);
  NONE(mcp_transport_trace(NULL, NULL, NULL, NULL, NULL));
  NONE(mcp_transport_dialect(NULL, NULL, 0, 0, NULL));
  mcp_read_buffer_free(mcp_read_buffer_new(NULL, 0, NULL));
  mcp_read_buffer_free(NULL);
  INVALID(mcp_read_buffer_feed(NULL, NULL, 0));
  INVALID(mcp_read_buffer_next(NULL, NULL, NULL, NULL));
  NONE(mcp_transport_stdio(NULL, NULL, NULL));
  NONE(mcp_transport_fd(NULL, 0, 0, NULL, NULL));
  NONE(mcp_transport_uv_stream(NULL, NULL, NULL, NULL, NULL));
  NONE(mcp_transport_process(NULL, NULL, NULL));
}

TEST(null_is_safe_in_version) {
  assert_non_null(mcp_version());
  IS(MCP_VERSION, mcp_version_number());
  assert_non_null(mcp_revision_name(0));
  assert_non_null(mcp_log_level_name(MCP_LOG_DEBUG));
  assert_int_equal(mcp_revision_era(NULL), 0);
}
