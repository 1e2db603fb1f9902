// Written by `bugle setup opencode`, and replaced by it. `bugle setup opencode --remove` takes it away.
//
// Tells Bugle what happens in a session and the session what Bugle answers. If Bugle is missing, slow or broken,
// the session goes on without it.
//
// What opencode has no place for: it cannot be kept from ending a turn, sub-agents cannot be given a brief of their
// own, and what is added after a tool of an MCP server does not reach the model.

import { spawn } from "node:child_process";

const PROGRAM = "BUGLE_PROGRAM";
const LONGEST_MS = 10_000;

// Runs `bugle hook EVENT --client opencode` with the facts on its standard input; gives its answer, or nothing.
function ask(event, directory, facts) {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM, ["hook", event, "--client", "opencode"], {
        cwd: directory,
        stdio: ["pipe", "pipe", "ignore"],
        timeout: LONGEST_MS,
      });
      let out = "";
      child.on("error", () => resolve({}));
      child.stdin.on("error", () => {});
      child.stdout.on("data", (piece) => (out += piece));
      child.on("close", () => {
        try {
          resolve(JSON.parse(out) ?? {});
        } catch {
          resolve({});
        }
      });
      child.stdin.end(JSON.stringify({ ...facts, hook_event_name: event, cwd: directory }));
    } catch {
      resolve({});
    }
  });
}

const contextOf = (answer) => answer.hookSpecificOutput?.additionalContext;

export const Bugle = async ({ directory }) => {
  // What the model is told with each request, by session: opencode sends it anew each time, so it outlives a compaction.
  const told = new Map();
  const tell = (session, answer) => {
    const context = contextOf(answer);
    if (session && context) told.set(session, context);
  };

  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id;
      if (["session.created", "session.compacted", "session.idle", "session.deleted"].includes(event.type)) {
        tell(session, await ask(event.type, directory, { session_id: session }));
      }
      if (event.type === "session.deleted") told.delete(session);
    },
    "chat.message": async (input, output) => {
      const texts = (output.parts ?? []).filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text);
      const facts = { session_id: input.sessionID, prompt: texts.join("\n") };
      tell(input.sessionID, await ask("chat.message", directory, facts));
    },
    "experimental.chat.system.transform": async (input, output) => {
      const context = told.get(input.sessionID);
      if (context) output.system.push(context);
    },
    "tool.execute.before": async (input, output) => {
      const answer = await ask("tool.execute.before", directory, {
        session_id: input.sessionID,
        tool_use_id: input.callID,
        tool_name: input.tool,
        tool_input: output.args,
      });
      const verdict = answer.hookSpecificOutput;
      if (verdict?.permissionDecision === "deny") throw new Error(verdict.permissionDecisionReason);
    },
    "tool.execute.after": async (input, output) => {
      const answer = await ask("tool.execute.after", directory, {
        session_id: input.sessionID,
        tool_use_id: input.callID,
        tool_name: input.tool,
        tool_input: input.args,
        tool_response: output.output,
      });
      const context = contextOf(answer);
      if (context) output.output = `${output.output}\n\n${context}`;
    },
    "experimental.session.compacting": async (input, output) => {
      const answer = await ask("session.compacting", directory, { session_id: input.sessionID });
      const context = contextOf(answer);
      if (context) output.context.push(context);
    },
  };
};
