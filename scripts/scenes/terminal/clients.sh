# title: bugle doctor claude after bugle setup claude: it tests hooks, a denial, the MCP server, skills and agents
# columns: 84

git init --quiet --initial-branch main shop
cd shop
# A fake client. It is only asked for its version.
printf '#!/bin/sh\necho "2.1.325 (Claude Code)"\n' >~/.local/bin/claude
chmod +x ~/.local/bin/claude
echo 'PATH="$HOME/.local/bin:$PATH"' >~/.profile

show 'bugle setup claude | tail -n 1'
show 'bugle doctor claude'
