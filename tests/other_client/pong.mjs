// A bot written with discord.js: it registers `/ping` and answers `pong`.
//
//   node pong.mjs FOLDER-WITH-PACKAGES ADDRESS-OF-THE-TWIN

import { createRequire } from "node:module";

const [folder, address] = process.argv.slice(2);
const { Client, Events, GatewayIntentBits, MessageFlags } = createRequire(`${folder}/`)("discord.js");

const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: `${address}/api` } });

client.once(Events.ClientReady, async () => {
  await client.application.commands.set([{ name: "ping", description: "Answers" }]);
  console.log(`ready in ${client.guilds.cache.size} guild`);
});

client.on(Events.InteractionCreate, async (interaction) => {
  if (!interaction.isChatInputCommand()) return;
  const who = interaction.options.getUser("who");
  await interaction.reply({ content: who ? `pong ${who.username}` : "pong", flags: MessageFlags.Ephemeral });
  await interaction.followUp({ content: "and more", flags: MessageFlags.Ephemeral });
});

client.on(Events.Error, (error) => console.error(error));
await client.login("other.token");
