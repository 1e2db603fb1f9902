// Written by `bugle setup opencode`, which overwrites this file. `bugle setup opencode --remove` removes the file.
//
// Reports session events to Bugle, and passes Bugle's replies to the session. If Bugle is missing, slow or broken, the
// session continues without it.

import { spawn } from "node:child_process";

const PROGRAM = "BUGLE_PROGRAM";
const LONGEST_MS = 10_000;

// `opencode run` exits when its session becomes idle, so a turn cannot be continued.
const EXITS_WHEN_IDLE = process.argv.includes("run");

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

// Text for the model that the user did not type.
const ownPart = (text) => ({ type: "text", text, synthetic: true, metadata: { bugle: true } });
const isOwn = (part) => part.metadata?.bugle === true;

export const Bugle = async ({ client, directory }) => {
  // The parent session and the agent of each session. Main sessions have no parent.
  const sessions = new Map();
  // Sessions that were created or reported to Bugle by this process.
  const created = new Set();
  const reported = new Set();
  // The latest message of the agent, by session.
  const latest = new Map();
  // Sessions whose turn Bugle continued.
  const continued = new Set();
  // The parents of sub-agents that are writing a missing report.
  const reporting = new Map();
  // Sessions whose next prompt is an expanded command.
  const expanding = new Set();
  // Event handlers that are running. opencode does not wait for them.
  const running = new Set();

  const remember = (info) => sessions.set(info.id, { parent: info.parentID, agent: info.agent });
  const lookUp = async (id) => {
    if (!sessions.has(id)) {
      const found = await client.session.get({ path: { id } }).catch(() => undefined);
      if (found?.data) remember(found.data);
    }
    return sessions.get(id) ?? {};
  };

  // The main session, and the sub-agent if the session is a sub-agent's.
  const identify = async (id) => {
    let main = id;
    for (let { parent } = await lookUp(id); parent; { parent } = await lookUp(main)) main = parent;
    if (main === id) return { session_id: id };
    return { session_id: main, agent_id: id, agent_type: (await lookUp(id)).agent };
  };
  const send = (id, body) => client.session.prompt({ path: { id }, body }).catch(() => undefined);
  const askFor = async (id, event, facts) => ask(event, directory, { ...(await identify(id)), ...facts });

  const turnEnded = async (id) => {
    // The summary of a compaction and the user's own commands are messages too, but end no turn.
    const message = latest.get(id);
    const ended = message && !message.summary && (message.finish || message.error);
    if (!ended || (await lookUp(id)).parent) return;
    const answer = await askFor(id, "session.idle", {
      stop_hook_active: continued.has(id),
      can_continue: !EXITS_WHEN_IDLE && !message.error,
    });
    if (answer.systemMessage) {
      await client.tui.showToast({ body: { message: answer.systemMessage, variant: "warning" } });
    }
    if (answer.decision !== "block") {
      continued.delete(id);
      return;
    }
    continued.add(id);
    const { agent, providerID, modelID, variant } = message;
    const body = { agent, model: { providerID, modelID }, variant, parts: [ownPart(answer.reason)] };
    await client.session.promptAsync({ path: { id }, body });
  };

  // A sub-agent has returned to its parent. Prompts the sub-agent again as long as its report is missing, and returns its
  // last answer.
  const subagentReturned = async (parent, id) => {
    let said;
    for (let again = false; ; again = true) {
      const answer = await askFor(id, "subagent.idle", { stop_hook_active: again });
      if (answer.decision !== "block") return said;
      reporting.set(id, parent);
      const body = { agent: (await lookUp(id)).agent, parts: [ownPart(answer.reason)] };
      const reply = await send(id, body);
      reporting.delete(id);
      if (!reply?.data || reply.data.info.error) return said;
      said = reply.data.parts.findLast((part) => part.type === "text")?.text ?? said;
    }
  };

  const handle = async ({ type, properties }) => {
    const id = properties.sessionID ?? properties.info?.id;
    switch (type) {
      case "session.created":
        remember(properties.info);
        created.add(id);
        break;
      case "message.updated":
        if (properties.info.role === "assistant") latest.set(properties.info.sessionID, properties.info);
        break;
      case "session.idle":
        // If a sub-agent is still writing its report, the user has interrupted its parent.
        for (const [subagent, parent] of reporting) {
          if (parent === id) await client.session.abort({ path: { id: subagent } });
        }
        await turnEnded(id);
        break;
      case "session.compacted":
        await askFor(id, type);
        break;
      case "session.deleted":
        if (!properties.info.parentID) await askFor(id, type);
        for (const known of [sessions, created, reported, latest, continued]) known.delete(id);
        break;
    }
  };

  return {
    event: async ({ event }) => {
      const work = handle(event).catch(() => {});
      running.add(work);
      await work;
      running.delete(work);
    },
    // opencode is about to exit.
    dispose: async () => {
      await Promise.all(running);
      const mains = [...reported].filter((id) => !sessions.get(id)?.parent);
      await Promise.all(mains.map((id) => askFor(id, "session.deleted")));
    },
    "shell.env": async (input, output) => {
      if (input.sessionID) output.env.BUGLE_SESSION = (await identify(input.sessionID)).session_id;
    },
    "command.execute.before": async (input) => {
      expanding.add(input.sessionID);
    },
    "chat.message": async (input, output) => {
      const id = input.sessionID;
      if (output.parts.length > 0 && output.parts.every(isOwn)) return;
      continued.delete(id);
      const contexts = [];
      if (!reported.has(id)) {
        reported.add(id);
        const event = (await lookUp(id)).parent ? "subagent.created" : "session.created";
        const source = created.has(id) ? "startup" : "resume";
        contexts.push(contextOf(await askFor(id, event, { source })));
      }
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic);
      const prompt = expanding.delete(id) ? "" : typed.map((part) => part.text).join("\n");
      contexts.push(contextOf(await askFor(id, "chat.message", { prompt })));
      const text = contexts.filter(Boolean).join("\n\n");
      if (!text) return;
      // opencode orders the parts of a message by their ids.
      const last = output.parts.at(-1)?.id ?? `prt_${output.message.id}`;
      output.parts.push({ ...ownPart(text), id: `${last}z`, sessionID: id, messageID: output.message.id });
    },
    "tool.execute.before": async (input, output) => {
      const answer = await askFor(input.sessionID, "tool.execute.before", {
        tool_use_id: input.callID,
        tool_name: input.tool,
        tool_input: output.args,
      });
      const verdict = answer.hookSpecificOutput;
      if (verdict?.permissionDecision === "deny") throw new Error(verdict.permissionDecisionReason);
      // Calls of Bugle's MCP tools get their session.
      if (verdict?.updatedInput) Object.assign(output.args, verdict.updatedInput);
    },
    "tool.execute.after": async (input, output) => {
      if (!output) return;
      const subagent = input.tool === "task" && output.metadata?.sessionId;
      const said = subagent && (await subagentReturned(input.sessionID, subagent));
      if (said) output.output = `${output.output}\n\n${said}`;
      const answer = await askFor(input.sessionID, "tool.execute.after", {
        tool_use_id: input.callID,
        tool_name: input.tool,
        tool_input: input.args,
        tool_response: output.output ?? output.content,
      });
      const context = contextOf(answer);
      if (!context) return;
      if (typeof output.output === "string") output.output += `\n\n${context}`;
      // The tools of MCP servers return a list.
      else if (Array.isArray(output.content)) output.content.push({ type: "text", text: context });
    },
    "experimental.session.compacting": async (input) => {
      await askFor(input.sessionID, "session.compacting");
    },
    "experimental.compaction.autocontinue": async (input) => {
      const context = contextOf(await askFor(input.sessionID, "session.created", { source: "compact" }));
      if (!context) return;
      const { agent, model } = input.message;
      const body = { noReply: true, agent, model, parts: [ownPart(context)] };
      await send(input.sessionID, body);
    },
  };
};
