"""A server made with the official SDK for Python: `sdk_server.py stdio|streams|json`.

The last two listen on a free port of this machine, which they print, and answer with streams of events or with JSON.
"""

import random
import socket
import sys

from mcp.server.mcpserver import Image, MCPServer

server = MCPServer("dice")


@server.tool()
def roll(sides: int) -> int:
    """Rolls a die"""
    return random.randint(1, sides)


@server.tool()
def echo(text: str) -> str:
    """Says what it is told"""
    return text


@server.tool()
def fail() -> str:
    """Fails"""
    raise ValueError("no such city")


@server.tool()
def picture() -> Image:
    """Shows something"""
    return Image(data=b"\0\1\2\3", format="png")


def main():
    if sys.argv[1] == "stdio":
        server.run()
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    print(port, flush=True)
    server.run("streamable-http", host="127.0.0.1", port=port, json_response=sys.argv[1] == "json")


main()
