"""An MCP server with one tool, on its standard input and output. Only messages go to the standard output."""

import json
import sys

TEXT = {"type": "object", "properties": {"text": {"type": "string", "description": "What to say"}}, "required": ["text"]}
TOOLS = [{"name": "echo", "description": "Say it again", "inputSchema": TEXT}]


def result_of(method, params):
    if method == "initialize":
        about = {"name": "NAME", "version": "0.1.0"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "You said: " + params["arguments"]["text"]}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    # What has no id is a notification, which nobody answers.
    if "id" in message and "method" in message:
        result = result_of(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
