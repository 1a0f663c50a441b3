"""A bot with one command, written with discord.py: `/ping` answers "pong". Its API is at TWIN_URL."""

import os

import discord
from discord.http import Route

Route.BASE = os.environ["TWIN_URL"] + "/api/v10"
# The library asks for the gateway's address only when it has shards.
address = os.environ["TWIN_URL"].replace("http://", "ws://", 1) + "/gateway"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = discord.gateway.yarl.URL(address)


class Bot(discord.Client):
    def __init__(self):
        super().__init__(intents=discord.Intents(guilds=True))
        self.tree = discord.app_commands.CommandTree(self)

    async def setup_hook(self):
        await self.tree.sync()


bot = Bot()


@bot.tree.command(description="Answers")
async def ping(interaction: discord.Interaction):
    await interaction.response.send_message("pong")


bot.run("peer.token", log_handler=None)
