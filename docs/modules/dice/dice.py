"""An MCP server with one tool, which rolls dice."""

import re
import secrets

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

DICE = re.compile(r"(\d{0,3})[dDwW](\d{1,4})([+-]\d{1,4})?")

server = MCPServer("dice")


@server.tool(structured_output=False)
def roll(dice: str = "1d6") -> str:
    """Roll dice, such as 2d6 or d20+3."""
    written = DICE.fullmatch(dice.replace(" ", ""))
    count, sides = (int(written[1] or 1), int(written[2])) if written else (0, 0)
    if not (1 <= count <= 100 and 2 <= sides <= 1000):
        raise ToolError("Write dice like 2d6 or d20+3: at most 100 of them, of 2 to 1000 sides.")
    rolls = [secrets.randbelow(sides) + 1 for _ in range(count)]
    more = int(written[3] or 0)
    shown = " + ".join(map(str, rolls)) + (f" {'+' if more > 0 else '-'} {abs(more)}" if more else "")
    total = sum(rolls) + more
    return f"{total}" if shown == f"{total}" else f"{total} = {shown}"


server.run()
