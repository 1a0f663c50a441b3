"""An MCP server with one tool, which rolls dice."""

import re
import secrets

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

REFUSALS = {
    "en": "Write dice like 2d6 or d20+3: at most 100 of them, of 2 to 1000 sides.",
    "de": "Schreib Würfel wie 2w6 oder w20+3: höchstens 100, mit 2 bis 1000 Seiten.",
}
DICE = re.compile(r"(\d{0,3})[dDwW](\d{1,4})([+-]\d{1,4})?")

server = MCPServer("dice")


@server.tool(structured_output=False)
def roll(ctx: Context, dice: str = "1d6") -> str:
    """Roll dice, such as 2d6 or d20+3."""
    written = DICE.fullmatch(dice.replace(" ", ""))
    count, sides = (int(written[1] or 1), int(written[2])) if written else (0, 0)
    if not (1 <= count <= 100 and 2 <= sides <= 1000):
        language = (ctx.request_context.meta or {}).get("candor/language")
        raise ToolError(REFUSALS.get(language, REFUSALS["en"]))
    rolls = [secrets.randbelow(sides) + 1 for _ in range(count)]
    more = int(written[3] or 0)
    shown = " + ".join(map(str, rolls)) + (f" {'+' if more > 0 else '-'} {abs(more)}" if more else "")
    total = sum(rolls) + more
    return f"{total}" if shown == f"{total}" else f"{total} = {shown}"


server.run()
