/* SPDX-License-Identifier: MIT */
/* Messages that tests send and expect, with the marks of server_rig.h. */
#ifndef MCP_TESTS_MESSAGES_H
#define MCP_TESTS_MESSAGES_H

#define LEGACY_CALL(id, name)                                                  \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "'}}"
#define MODERN_CALL(id, name)                                                  \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "',$M{}}}"
#define CANCEL(id)                                                             \
  "{$J,'method':'notifications/cancelled','params':{'requestId':" id "}}"
#define INITIALIZED "{$J,'method':'notifications/initialized'}"

#define RESULT_TEXT(id, text)                                                  \
  "{$J,'id':" id ",'result':{'content':[{'type':'text','text':'" text "'}],$"  \
  "C}}"
#define LEGACY_TEXT(id, text)                                                  \
  "{$J,'id':" id ",'result':{'content':[{'type':'text','text':'" text "'}]}}"
#define ERROR(id, code, text)                                                  \
  "{$J,'id':" id ",'error':{'code':" code ",'message':'" text "'}}"
#define ERROR_ALONE(code, text)                                                \
  "{$J,'error':{'code':" code ",'message':'" text "'}}"

#endif
