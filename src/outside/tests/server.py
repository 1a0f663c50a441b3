"""An MCP server without an SDK, on standard input and output or on HTTP, that can be told to misbehave.

usage: server.py [FAULT]

Before the handshake: exits, silent, other-version, no-tools, wrong-id, no-result, refuses, endless-line.
Beside the handshake: junk (a banner), objects (to the notification, without an id).
In the list: duplicate, many, odd, endless-pages, empty-cursor, same-cursor, list-hangs; changing, once the tool
`changes` was called.
The faults of calls are tools: see TOOLS.
"""

import json
import os
import sys
import time

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
HEARD = []
CHANGED = []


def schema(**properties):
    return {"type": "object", "properties": properties, "required": list(properties)}


ECHO = {
    "name": "echo",
    "title": "Echo",
    "description": "Says what it is told",
    "inputSchema": schema(text={"type": "string"}),
    "outputSchema": schema(length={"type": "integer"}),
    "annotations": {"readOnlyHint": True},
}
TOOLS = [ECHO] + [
    {"name": name, "inputSchema": schema()}
    for name in (
        "media odd nothing null fails refuses dies half-line hangs heard twice other-id no-id null-id empty "
        "not-a-result long-line endless-line strays flood chatter asks changes logs environment fills"
    ).split()
]


def raw(data):
    os.write(1, data)


def send(message):
    data = (json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode()
    while data:
        data = data[os.write(1, data):]


def answer(id, result):
    send({"id": id, "result": result})


def text(id, words, **more):
    answer(id, {"content": [{"type": "text", "text": words}], **more})


def endless():
    try:
        while True:
            raw(b"x" * 65536)
    except BrokenPipeError:
        sys.exit()


def initialize(id):
    version = "2099-01-01" if FAULT == "other-version" else "2025-06-18"
    capabilities = {} if FAULT == "no-tools" else {"tools": {"listChanged": True}, "logging": {}}
    result = {"protocolVersion": version, "capabilities": capabilities, "serverInfo": {"name": "plain", "version": "1"}}
    if FAULT == "silent":
        return
    if FAULT == "endless-line":
        endless()
    if FAULT == "no-result":
        result = {"tools": []}
    if FAULT == "refuses":
        send({"id": id, "error": {"code": -32001, "message": "not\ntoday"}})
        return
    answer(id + 7 if FAULT == "wrong-id" else id, result)


def list_tools(id, params):
    tools = list(TOOLS)
    if FAULT == "changing" and CHANGED:
        tools[0] = {**ECHO, "inputSchema": schema(text={"type": "string"}, volume={"type": "integer"})}
    if FAULT == "duplicate":
        tools.append(ECHO)
    if FAULT == "many":
        tools = [{"name": f"tool{n}", "inputSchema": schema()} for n in range(300)]
    if FAULT == "odd":
        tools = [
            {"name": "big", "description": "x" * 300_000, "inputSchema": schema()},
            {"name": "two words", "inputSchema": schema()},
            {"name": "list", "inputSchema": {"type": "array"}},
            {"name": "null", "inputSchema": None},
            {"name": "hint", "inputSchema": {}, "title": 7, "annotations": {"readOnlyHint": "yes"}},
            "no tool",
            ECHO,
        ]
    if FAULT == "endless-pages":
        n = int(params.get("cursor", "0"))
        answer(id, {"tools": [{"name": f"tool{n}", "inputSchema": schema()}], "nextCursor": str(n + 1)})
        return
    if FAULT in ("empty-cursor", "same-cursor"):
        answer(id, {"tools": [ECHO], "nextCursor": "" if FAULT == "empty-cursor" else "same"})
        return
    if FAULT == "list-hangs":
        return
    # Two pages.
    if params.get("cursor") is None:
        answer(id, {"tools": tools[:2], "nextCursor": "2"})
    else:
        answer(id, {"tools": tools[2:]})


def call(id, params):
    name, given = params["name"], params.get("arguments", {})
    if name == "echo":
        words = given["text"]
        text(id, words, structuredContent={"length": len(words)})
    elif name == "media":
        answer(id, {"content": [
            {"type": "text", "text": "first"},
            {"type": "image", "data": "AAECAw==", "mimeType": "image/png"},
            {"type": "audio", "data": "AAEC", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "embedded"}},
            {"type": "resource", "resource": {"uri": "file:///j", "mimeType": "application/json", "blob": "e30="}},
            {"type": "resource", "resource": {"uri": "file:///z", "mimeType": "application/zip", "blob": "AAECAwQ="}},
            {"type": "resource", "resource": {"uri": "file:///i", "mimeType": "image/png", "blob": "AAE="}},
            {"type": "resource_link", "uri": "https://example.org/\nb", "name": "b", "size": 9},
            {"type": "text", "text": "last"},
        ]})
    elif name == "odd":
        answer(id, {"content": [
            {"type": "text", "text": "first", "annotations": {"audience": ["system"], "priority": "high"}},
            {"type": "hologram", "text": "x"},
            {"type": "resource_link", "uri": "ui://a"},
            {"type": "image", "data": "?", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "file:///b"}},
            {"type": "text"},
            None,
            "last",
        ]})
    elif name == "nothing":
        answer(id, {"content": []})
    elif name == "null":
        answer(id, {"content": None, "isError": False})
    elif name == "fails":
        text(id, "no such city", isError=True)
    elif name == "refuses":
        send({"id": id, "error": {"code": -32602, "message": "bad arguments"}})
    elif name == "dies":
        os._exit(3)
    elif name == "half-line":
        raw(b'{"jsonrpc": "2.0", "id": ')
        os._exit(0)
    elif name == "hangs":
        pass
    elif name == "heard":
        text(id, json.dumps(HEARD))
    elif name == "twice":
        text(id, "once")
        text(id, "twice")
    elif name == "other-id":
        text(id + 1000, "for somebody else")
    elif name == "no-id":
        send({"error": {"code": -32600, "message": "which one?"}})
    elif name == "null-id":
        send({"id": None, "error": {"code": -32600, "message": "which one?"}})
    elif name == "empty":
        answer(id, {})
    elif name == "not-a-result":
        answer(id, "words")
    elif name == "long-line":
        text(id, "x" * 10_000_000)
    elif name == "endless-line":
        endless()
    elif name == "strays":
        raw(b'{"jsonrpc": "2.0", "text": "\xff\xfe"}\n')
        raw(b"debug: here I am\n")
        raw(b'{"level": "debug"}\n')
        text(id, "here I am")
    elif name == "flood":
        while True:
            send({"method": "notifications/message", "params": {"level": "info", "data": "flood"}})
    elif name == "chatter":
        for n in range(200):
            raw(b"\n")
            send({"method": "notifications/message", "params": {"level": "info", "data": n}})
        text(id, "done")
    elif name == "asks":
        for method in ("sampling/createMessage", "elicitation/create", "roots/list", "secrets/read", "ping"):
            params = {"messages": [], "maxTokens": 5, "message": "?", "requestedSchema": schema()}
            send({"id": "mine-" + method, "method": method, "params": params})
        text(id, "asked")
    elif name == "changes":
        CHANGED.append(True)
        send({"method": "notifications/tools/list_changed"})
        text(id, "changed")
    elif name == "fills":
        with open(os.path.join(os.environ["HOME"], "kept"), "wb") as kept:
            kept.write(bytes(2_000_000))
        text(id, "kept")
    elif name == "environment":
        text(id, json.dumps(sorted(os.environ)))
    else:
        send({"id": id, "error": {"code": -32602, "message": f"unknown tool: {name}"}})


def main():
    if FAULT == "exits":
        sys.exit("no configuration")
    if FAULT == "junk":
        raw(b"Starting the server ...\n")
    for line in sys.stdin.buffer:
        message = json.loads(line)
        method, id = message.get("method"), message.get("id")
        HEARD.append(message if method is None else {"method": method, "params": message.get("params")})
        if method == "initialize":
            initialize(id)
        elif method == "notifications/initialized" and FAULT == "objects":
            send({"id": None, "error": {"code": -32601, "message": "Method not found"}})
        elif method == "tools/list":
            list_tools(id, message.get("params") or {})
        elif method == "tools/call":
            call(id, message["params"])


if __name__ == "__main__":
    main()
