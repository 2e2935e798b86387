// A request to peers.cu, and its answer: a line of JSON each. See
// apps/bench/src/gpu/peer-contenders.ts.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

struct Request {
  std::string contender, program, type;
  size_t bytes = 0;  // of a call's input
  size_t room = 0;   // of each buffer, through which the calls of a graph rotate
  int rows = 0, hidden = 0;
  bool check = false;
  int calls = 0, launches = 0;  // the calls of a graph, and the most launches of it
  double milliseconds = 0;      // how long the graph is launched
};

// The text after `key`: a string without its quotes, or a number. Only for what JSON.stringify
// makes of a flat object.
inline std::string valueOf(std::string const& line, std::string const& key) {
  size_t at = line.find("\"" + key + "\":");
  if (at == std::string::npos) throw std::runtime_error("the request has no " + key);
  at += key.size() + 3;
  const bool text = line[at] == '"';
  if (text) at++;
  const size_t end = line.find_first_of(text ? "\"" : ",}", at);
  if (end == std::string::npos) throw std::runtime_error("the request is no JSON");
  return line.substr(at, end - at);
}

inline Request requestOf(std::string const& line) {
  auto number = [&](char const* key) { return strtod(valueOf(line, key).c_str(), nullptr); };
  Request r;
  r.contender = valueOf(line, "contender");
  r.program = valueOf(line, "program");
  r.type = valueOf(line, "type");
  r.bytes = (size_t)number("bytes");
  r.room = (size_t)number("room");
  r.check = valueOf(line, "check") == "true";
  r.calls = (int)number("calls");
  r.launches = (int)number("launches");
  r.milliseconds = number("milliseconds");
  if (r.program == "rms_norm") {
    r.rows = (int)number("rows");
    r.hidden = (int)number("hidden");
  }
  return r;
}

inline void answerError(std::string const& message) {
  std::string text;
  for (char c : message) {
    if (c == '"' || c == '\\') text += '\\';
    text += (unsigned char)c < ' ' ? ' ' : c;
  }
  printf("@{\"error\":\"%s\"}\n", text.c_str());
}
