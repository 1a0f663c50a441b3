// An MCP server with one tool, on its standard input and output. Only messages go to the standard output.
const text = {
  type: "object",
  properties: { text: { type: "string", description: "What to say" } },
  required: ["text"],
};
const tools = [{ name: "echo", description: "Say it again", inputSchema: text }];

function resultOf(method, params) {
  switch (method) {
    case "initialize": {
      const serverInfo = { name: "NAME", version: "0.1.0" };
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
    }
    case "tools/list":
      return { tools };
    case "tools/call":
      return { content: [{ type: "text", text: "You said: " + params.arguments.text }] };
    default:
      return {};
  }
}

require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    // What has no id is a notification, which nobody answers.
    if (message.id === undefined || message.method === undefined) return;
    const result = resultOf(message.method, message.params ?? {});
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }) + "\n");
  });
