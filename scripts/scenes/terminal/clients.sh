# title: bugle doctor claude after bugle setup claude: hooks, a denial, the MCP server, skills and agents are checked by trying them
# columns: 84

git init --quiet --initial-branch main shop
cd shop
# A stand-in for the client, which is only asked for its version.
printf '#!/bin/sh\necho "2.1.325 (Claude Code)"\n' >~/.local/bin/claude
chmod +x ~/.local/bin/claude
echo 'PATH="$HOME/.local/bin:$PATH"' >~/.profile

show 'bugle setup claude | tail -n 3'
show 'bugle doctor claude'
