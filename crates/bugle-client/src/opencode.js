// Written by `bugle setup opencode`, which overwrites this file. `bugle setup opencode --remove` removes the file.
//
// Reports session events to Bugle, and passes Bugle's replies to the session. If Bugle is missing, slow or broken, the
// session continues without it.
//
// Limits of opencode: a plugin cannot keep a turn from ending or give a sub-agent its own brief, and context that a
// plugin adds after an MCP tool call does not reach the model.

import { spawn } from "node:child_process";

const PROGRAM = "BUGLE_PROGRAM";
const LONGEST_MS = 10_000;

// Runs `bugle hook EVENT --client opencode` with the facts as JSON on stdin. Returns its answer, or {} on failure.
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
  // The context to add to each model request, by session. opencode sends it every time, so it survives a compaction.
  const contexts = new Map();
  const keepContext = (session, answer) => {
    const context = contextOf(answer);
    if (session && context) contexts.set(session, context);
  };

  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id;
      if (["session.created", "session.compacted", "session.idle", "session.deleted"].includes(event.type)) {
        keepContext(session, await ask(event.type, directory, { session_id: session }));
      }
      if (event.type === "session.deleted") contexts.delete(session);
    },
    "chat.message": async (input, output) => {
      const texts = (output.parts ?? []).filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text);
      const facts = { session_id: input.sessionID, prompt: texts.join("\n") };
      keepContext(input.sessionID, await ask("chat.message", directory, facts));
    },
    "experimental.chat.system.transform": async (input, output) => {
      const context = contexts.get(input.sessionID);
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
