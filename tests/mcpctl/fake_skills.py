#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An MCP server (2025-11-25) whose skills are whatever a file says.

usage: fake_skills.py FILE

FILE is a JSON object: "skills" has the entries that skills/list returns,
"unlisted" those that only skills/get does, and "files" has, for each URI, the
member of the contents that resources/read returns.
"""
import hashlib
import json
import sys


def entry(name, files, uri=None, description="Does a task"):
    """An entry of a skill with these files ({path: bytes}), which is right."""
    folder = (uri or f"skill://{name}/SKILL.md").removesuffix("/SKILL.md")
    return {"uri": f"{folder}/SKILL.md",
            "frontmatter": {"name": name, "description": description},
            "resources": [
                {"uri": f"{folder}/{path}", "size": len(text),
                 "digest": "sha256:" + hashlib.sha256(text).hexdigest()}
                for path, text in files.items()]}


def answer(what, method, params):
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": {
                    "resources": {},
                    "extensions": {"io.modelcontextprotocol/skills": {}}},
                "serverInfo": {"name": "skilful", "version": "1"}}
    if method == "skills/list":
        return {"skills": what["skills"]}
    if method == "skills/get":
        for skill in what["skills"] + what.get("unlisted", []):
            if skill["uri"] == params["uri"]:
                return {"skill": skill}
    if method == "resources/read":
        file = what["files"].get(params["uri"])
        if file is not None:
            return {"contents": [{"uri": params["uri"], **file}]}
    return {}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        what = json.load(file)
    print(len(what["skills"]), "skills", file=sys.stderr, flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(what, message["method"], message.get("params", {}))
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"],
                              "result": result}), flush=True)


if __name__ == "__main__":
    main()
