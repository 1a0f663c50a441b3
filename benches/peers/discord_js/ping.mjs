// A bot with one command, written with discord.js: `/ping` answers "pong". Its API is at TWIN_URL.

import { Client, Events, GatewayIntentBits } from "discord.js";

const client = new Client({
  intents: [GatewayIntentBits.Guilds],
  rest: { api: `${process.env.TWIN_URL}/api` },
});

client.once(Events.ClientReady, () => client.application.commands.set([{ name: "ping", description: "Answers" }]));

client.on(Events.InteractionCreate, (interaction) => {
  if (interaction.isChatInputCommand()) return interaction.reply("pong");
});

client.on(Events.Error, (error) => console.error(error));
await client.login("peer.token");
