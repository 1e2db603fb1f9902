//! The built-in title rules.
//!
//! A rule describes a pattern, never a single title. Specific rules come before general ones, and verbs before nouns. A
//! word that can be a noun or a verb counts only if the next words show which of the two it is.

use super::skills::{
    BRAINSTORMING, DISPATCHING_PARALLEL_AGENTS, EXECUTING_PLANS, FINISHING_A_DEVELOPMENT_BRANCH,
    RECEIVING_CODE_REVIEW, REQUESTING_CODE_REVIEW, SUBAGENT_DRIVEN_DEVELOPMENT, SYSTEMATIC_DEBUGGING,
    TEST_DRIVEN_DEVELOPMENT, USING_GIT_WORKTREES, VERIFICATION_BEFORE_COMPLETION, WRITING_PLANS,
    WRITING_SKILLS,
};

/// A rule's source form: comma-separated phrases.
pub(super) struct Row {
    pub(super) verbs: &'static str,
    pub(super) objects: &'static str,
    pub(super) mentions: &'static str,
    pub(super) compounds: &'static str,
    pub(super) nouns: &'static str,
    pub(super) unless: &'static str,
    pub(super) skill: &'static str,
}

/// A row that matches everything; other rows override its fields.
const ANY: Row = Row {
    verbs: "",
    objects: "",
    mentions: "",
    compounds: "",
    nouns: "",
    unless: "",
    skill: "",
};

/// Selects no skill.
const NONE: &str = "";

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // Review feedback.
    Row { verbs: "address, apply, respond to, reply to, answer, resolve, incorporate, integrate, implement, handle, fix, process, \
                  work through, go through, act on, receive, evaluate, consider, triage",
          objects: "review/reviewer comment/feedback/finding/remark/question/suggestion/note/issue/point/result, review, feedback, \
                    pr comment/feedback, pull request comment/feedback",
          skill: RECEIVING_CODE_REVIEW, ..ANY },
    Row { verbs: "address, apply, fix, incorporate, integrate, implement, resolve, handle, work through, go through",
          mentions: "from code review, from review, in code review, in review, from reviewer, by reviewer, review/reviewer comment/feedback/finding, review thread",
          skill: RECEIVING_CODE_REVIEW, ..ANY },

    // Work on skills.
    Row { verbs: "write, create, edit, improve, update, draft, author, revise, test, rewrite, extend, add, modify, adapt, restructure, refactor, patch, rework, build, \
                  rename, split, polish, shorten", objects: "skill, skill.md", unless: "player, character, candidate, employee, user, profile, readme, readme.md", skill: WRITING_SKILLS, ..ANY },
    Row { verbs: "write, edit, improve, update, revise, shorten, rewrite", objects: "description, frontmatter, front matter, wording, section",
          mentions: "skill, skill.md", skill: WRITING_SKILLS, ..ANY },

    Row { verbs: "write, edit, improve, update, revise, shorten, rewrite, extend, add, trim", mentions: "skill.md", unless: "parser, loader, validator, endpoint, generator",
          skill: WRITING_SKILLS, ..ANY },

    // Plan execution.
    Row { verbs: "execute, run, carry out, perform, start", objects: "batch", skill: EXECUTING_PLANS, ..ANY },
    Row { verbs: "execute, run, carry out, implement, perform, work through", objects: "plan, task, step",
          mentions: "in batch, batch by batch, in separate session, in parallel session, in new session, for feedback, for review, checkpoint",
          skill: EXECUTING_PLANS, ..ANY },
    Row { verbs: "execute, run, carry out, implement, perform, follow, work through, work on, go through", objects: "plan",
          skill: SUBAGENT_DRIVEN_DEVELOPMENT, ..ANY },
    Row { verbs: "execute, carry out, work through", mentions: "task by task, step by step, task after task", skill: SUBAGENT_DRIVEN_DEVELOPMENT, ..ANY },
    Row { verbs: "execute, carry out, work through", objects: "task, phase, milestone", unless: "queued, scheduled, background, async, cron",
          skill: SUBAGENT_DRIVEN_DEVELOPMENT, ..ANY },
    Row { verbs: "execute, run, carry out, implement, perform, work through, do", objects: "plan, task, step, work",
          mentions: "with subagent, by subagent, via subagent, through subagent, using subagent", skill: SUBAGENT_DRIVEN_DEVELOPMENT, ..ANY },

    // Dispatched agents.
    Row { verbs: "dispatch, re dispatch, redispatch, launch, spawn, start, send, run, resume",
          objects: "implementer, implementer subagent/agent, spec reviewer, quality reviewer, spec/quality reviewer subagent/agent, fixer",
          skill: SUBAGENT_DRIVEN_DEVELOPMENT, ..ANY },
    Row { verbs: "dispatch, re dispatch, launch, spawn, start, run, use, send", objects: "parallel agent/subagent", skill: DISPATCHING_PARALLEL_AGENTS, ..ANY },
    Row { verbs: "dispatch, launch, spawn, start, run, use, send, fan out", objects: "agent, subagent",
          mentions: "in parallel, parallel, concurrently, simultaneously, at once, per, independent, each", skill: DISPATCHING_PARALLEL_AGENTS, ..ANY },
    Row { verbs: "fan out", mentions: "agent, subagent", skill: DISPATCHING_PARALLEL_AGENTS, ..ANY },
    Row { verbs: "dispatch, launch, spawn", objects: "code reviewer, reviewer, review agent/subagent", skill: REQUESTING_CODE_REVIEW, ..ANY },

    // Per-task reviews, by phase name.
    Row { verbs: "run, do, perform, conduct, start, complete, review, check, re run", objects: "spec review, spec compliance, spec compliance review, quality review",
          skill: SUBAGENT_DRIVEN_DEVELOPMENT, ..ANY },

    // Finishing a branch.
    Row { verbs: "open, create, submit, raise, file, send, make, prepare, push, merge, close, land, publish, finalize/finalise, finish, update, re open",
          objects: "pull request, pr, merge request, mr, draft pr", skill: FINISHING_A_DEVELOPMENT_BRANCH, ..ANY },
    Row { verbs: "finish, complete, finalize/finalise, wrap up, land, discard, delete, abandon, merge, push, close, integrate, clean up, cleanup, tidy up, \
                  remove, squash, rebase, ship, drop, keep, prune", objects: "branch, worktree", skill: FINISHING_A_DEVELOPMENT_BRANCH, ..ANY },
    Row { verbs: "merge, integrate, land, squash, rebase, push, ship", mentions: "to/into/in/onto main/master/develop/trunk/mainline/upstream:, to/in/into/onto main/master/develop/trunk branch/and/after/once/when/via/with",
          skill: FINISHING_A_DEVELOPMENT_BRANCH, ..ANY },
    Row { verbs: "merge:, push:, push and, squash and merge, rebase and merge, merge and, finish:, finish up, wrap up", skill: FINISHING_A_DEVELOPMENT_BRANCH, ..ANY },
    Row { verbs: "decide, choose, ask", mentions: "merge or, to merge, pull request or, keep or discard", skill: FINISHING_A_DEVELOPMENT_BRANCH, ..ANY },

    // Worktrees and branches.
    Row { verbs: "create, set up, setup, make, prepare, add, use, start, enter, switch to, check out, open",
          objects: "worktree, isolated workspace/environment/checkout/copy", skill: USING_GIT_WORKTREES, ..ANY },
    Row { verbs: "create, set up, setup, make, prepare, start, check out, cut, switch to", objects: "branch", skill: USING_GIT_WORKTREES, ..ANY },

    // Writing plans.
    Row { verbs: "write, create, draft, prepare, produce, make, update, revise, refine, review, outline, finalize/finalise, adjust, amend, develop, \
                  rewrite, check, approve, save", objects: "plan", unless: "pricing, subscription, billing plan, data plan, floor plan", skill: WRITING_PLANS, ..ANY },
    Row { verbs: "write, draft, list", objects: "=tasks, task list, task breakdown", skill: WRITING_PLANS, ..ANY },
    Row { verbs: "add", objects: "implementation/migration/rollout/rollback/test plan", skill: WRITING_PLANS, ..ANY },
    Row { verbs: "break, split, turn, convert, translate, decompose", mentions: "into task/step/subtask/milestone/chunk/ticket/plan, \
                  into bite sized task/step/chunk, into implementation plan/task, down", skill: WRITING_PLANS, ..ANY },
    Row { verbs: "plan", compounds: "picker, page, card, tier, limit, selector, pricing, upgrade, change, name, id, file, parser, view, mode, list, badge, \
                  import, importer, editor, model, table, section, details", skill: WRITING_PLANS, ..ANY },

    // Design.
    Row { verbs: "sketch, propose, discuss, consider, agree on, decide, explore idea, ideate, rfc:, proposal:, discussion:, idea:", skill: BRAINSTORMING, ..ANY },
    Row { verbs: "brainstorm, design", compounds: "token, system, mode, page, tab, panel, canvas, file, editor, asset, hook, skill, command, tool, board", skill: BRAINSTORMING, ..ANY },
    Row { verbs: "write, create, draft, prepare, produce, revise, refine, update, review, sketch, present, approve, finalize/finalise, validate, document",
          objects: "design, design doc/document/note/spec, spec, specification, rfc, adr, proposal, prd, requirement, architecture, acceptance criteria",
          skill: BRAINSTORMING, ..ANY },
    Row { verbs: "add", objects: "design doc/document/note/spec/proposal, rfc, adr, prd, proposal", skill: BRAINSTORMING, ..ANY },
    Row { verbs: "explore, present, evaluate, compare, choose, pick, select, investigate, research, consider, weigh, assess, review, survey",
          objects: "approach, option, alternative, idea, design, solution, strategy, library, framework, tool, vendor, provider, broker, database, \
                    architecture, pattern, trade off, tradeoff, technology", skill: BRAINSTORMING, ..ANY },
    Row { verbs: "investigate, research, evaluate, explore, assess, look into", mentions: "which, whether, option, alternative, approach, how to, feasibility",
          skill: BRAINSTORMING, ..ANY },
    Row { verbs: "clarify, gather, collect, define, elicit, refine, capture, understand, specify, ask, agree, identify, determine, review, validate, set",
          objects: "requirement, question, scope, idea, goal, need, use case, user story/stories, intent, constraint, expectation, acceptance criteria, objective, \
                    brief, vision", skill: BRAINSTORMING, ..ANY },
    Row { verbs: "clarify, define, identify, determine, agree, specify, set",
          objects: "approach, strategy, metric, success criteria, risk, stakeholder, persona, assumption, kpi, mvp", skill: BRAINSTORMING, ..ANY },
    Row { verbs: "=spike, explore", compounds: "detection, alert, page, tab, panel, tool, agent, assistant, mode, view, screen, report, paper, node", skill: BRAINSTORMING, ..ANY },

    // Documentation and chores: no skill.
    Row { verbs: "docs:, doc:, documentation:, readme:, readme.md:, changelog:, changelog.md:, explain, describe, clarify, document, chore:, ci:, style:, build:, release:, revert:, deps:, dependencies:, infra:, tooling:, typo:", compounds: "upload, viewer, editor, list, picker, parser, store, \
                  model, type, page, search, table, schema, title, id, index", skill: NONE, ..ANY },
    Row { verbs: "write, add, update, improve, create, expand, revise, fix, extend, polish, edit, rewrite, draft, clean up, refresh, correct, remove, finish, \
                  complete, translate, publish, review, prepare, generate, finalize/finalise, copy, port, move, archive",
          objects: "documentation, doc, docs, readme, readme.md, changelog, changelog.md, changelog/note entry/section, guide, manual, tutorial, release note, \
                    user/developer/api/setup/installation/install/usage/build/download/deployment/contribution instruction, docstring, faq, license, runbook, code comment, doc comment, wiki, wiki page, migration note, checklist, changeset, agents.md, claude.md",
          skill: NONE, ..ANY },
    Row { verbs: "fix, fixed, correct, improve, polish, check, clean up", objects: "typo, spelling, grammar, wording", skill: NONE, ..ANY },
    Row { verbs: "add, update, improve, expand, revise, fix, extend, edit, rewrite, correct, remove, write, restructure",
          objects: "section, wording, link, example, heading, paragraph, entry, page, badge", mentions: "readme, readme.md, documentation, docs, changelog, guide, manual",
          unless: "parser, endpoint, generator", skill: NONE, ..ANY },
    Row { verbs: "add, update, improve, expand, revise, fix, extend, edit, rewrite, correct, remove, delete, drop, write, create, mention, mark, note, list, link, \
                  include, explain, describe, move, put, archive, refresh, clarify, restructure, reorganize/reorganise, reorder, apply, copy, port",
          mentions: "readme, readme.md, changelog, changelog.md, contributing.md, in/to/from/of/into doc/docs/documentation/wiki/guide/handbook:, in/to/from release note:",
          unless: "parser, endpoint, generator, generate, command, search, component, renderer, script", skill: NONE, ..ANY },
    Row { verbs: "add, update, improve, expand, revise, extend, edit, rewrite, correct, remove, delete, write, refresh, sync, create, trim, split, shorten, condense, restructure",
          objects: "*.md, *.mdx, *.rst, *.adoc",
          unless: "prompt.md, *prompt.md, *prompts.md, prompt, agent, command, skill", skill: NONE, ..ANY },
    Row { verbs: "update, edit, revise, rewrite, refresh, sync", mentions: "*.md", unless: "prompt.md, *prompt.md, *prompts.md, parser, loader, generator, script, command",
          skill: NONE, ..ANY },
    Row { verbs: "add, write, update, improve, expand, revise, edit, rewrite, remove",
          objects: "usage/installation/introduction/overview/quickstart/troubleshooting/example/contributing section", skill: NONE, ..ANY },
    Row { verbs: "update, upgrade, bump, pin", mentions: "to #", skill: NONE, ..ANY },
    Row { verbs: "update, groom, refine, prioritize/prioritise, maintain, clean up, review, sync, refresh",
          objects: "backlog, roadmap, milestone, todo, todos, todo list, timeline, project board, project status, tracker, sprint board, task list, ledger, issue/pr template",
          unless: "endpoint, api, component, field", skill: NONE, ..ANY },
    Row { verbs: "mark", mentions: "done:, completed:, as done/complete/completed/resolved/implemented:", skill: NONE, ..ANY },
    Row { verbs: "mark", objects: "done, complete, completed", skill: NONE, ..ANY },
    Row { verbs: "capture, record, take, attach, collect, make", objects: "screenshot, evidence, baseline, demo, demo video/gif, video, gif, screencast", skill: NONE, ..ANY },
    Row { verbs: "write, draft, edit, prepare, publish", objects: "description, copy, announcement, blog post, article, email, script, post, summary, report",
          skill: NONE, ..ANY },
    Row { verbs: "create, file, open, close, raise, update", objects: "issue, ticket, follow up", skill: NONE, ..ANY },
    Row { verbs: "review, check, read, monitor", objects: "log, metric, report, alert, backlog, analytics, dashboard, inbox, budget, contract", skill: NONE, ..ANY },
    Row { verbs: "bump, upgrade, update, pin, install, refresh", objects: "dependency, dependencies, lockfile, version, package, toolchain, requirements.txt, cargo.toml, package.json",
          skill: NONE, ..ANY },
    Row { verbs: "upgrade", mentions: "to be, to support, to handle, to allow, to accept", skill: TEST_DRIVEN_DEVELOPMENT, ..ANY },
    Row { verbs: "commit, bump, upgrade, configure, install, deploy, scaffold, initialize/initialise, bootstrap, announce, translate", skill: NONE, ..ANY },
    Row { verbs: "add, create, update, edit, adjust, tweak, clean, clean up, improve, fix", objects: "gitignore, dockerignore, editorconfig, codeowners, screenshot",
          skill: NONE, ..ANY },
    Row { verbs: "add, move", mentions: "to gitignore, to dockerignore", skill: NONE, ..ANY },
    Row { verbs: "update, adjust, tweak, clean, clean up, edit", objects: "ci, ci config/configuration/workflow/job/pipeline, github action/workflow, dependabot/renovate/eslint/prettier/linter config, dockerfile, docker compose",
          skill: NONE, ..ANY },
    Row { verbs: "schedule, plan, hold, attend, prepare, organize/organise", objects: "meeting, call, audit, interview, session, workshop, demo, retro, retrospective, standup, sync", skill: NONE, ..ANY },
    Row { verbs: "set up, setup, add, create", objects: "ci, ci pipeline/workflow/job, pipeline, github action, linter, linting, project, project structure/skeleton/scaffold/scaffolding, \
                  repository, repo, tooling, environment, dev environment, gitignore, .gitignore, eslint, prettier, pre commit hook, docker compose, dockerfile, workspace",
          skill: NONE, ..ANY },
    Row { verbs: "format with", skill: NONE, ..ANY },
    Row { verbs: "format, reformat", objects: "code, source, file, codebase, repo, repository, project, module", skill: NONE, ..ANY },
    Row { verbs: "fix, resolve", objects: "warning, lint, lint error/warning, formatting, clippy warning/lint, merge conflict, conflict, whitespace", skill: NONE, ..ANY },

    // Steps of test-driven development.
    Row { verbs: "=test:", skill: TEST_DRIVEN_DEVELOPMENT, ..ANY },
    Row { verbs: "run, re run, execute, watch", mentions: "it fail, they fail, test fail, to fail, it pass, they pass, failing test, should fail, expect/confirm failure, red:", unless: "suite", skill: TEST_DRIVEN_DEVELOPMENT, ..ANY },

    // Debugging.
    Row { verbs: "fix, hotfix, bugfix, bug fix, bug:, debug, investigate, diagnose, troubleshoot, reproduce, bisect, repair, root cause, why, find out why, \
                  figure out why, find out what, figure out what, track down, understand why, determine why, find why, hunt down, chase down, pinpoint, fixed",
          compounds: "width, height, size, header, footer, sidebar, navbar, bar, point, position, layout, price, rate, cost, window, mode, panel, page, menu, view, toolbar, console, adapter, info, log, output, symbol, build, flag, overlay", skill: SYSTEMATIC_DEBUGGING, ..ANY },
    Row { verbs: "find, identify, trace, locate, isolate, determine, analyze/analyse, resolve, examine, eliminate, look into, understand, explain",
          objects: "root cause, cause, source, origin, bug, crash, deadlock, race, race condition, leak, memory leak, regression, failure, flake, hang, outage, \
                    slowdown, bottleneck, panic, issue, problem, error, breakage, mismatch, corruption, discrepancy, failing test/assertion/build/step/case", skill: SYSTEMATIC_DEBUGGING, ..ANY },
    Row { verbs: "analyze/analyse, audit, examine, look into, check, explain, determine, trace", mentions: "why, cause, root cause, failure, crash, bug, regression, break, leak, \
                  slow, slowness, flaky, flakiness", skill: SYSTEMATIC_DEBUGGING, ..ANY },

    // Verification.
    Row { verbs: "verify, confirm, double check, make sure, sanity check, smoke test, smoke check, manually test/check, spot check, re verify, dogfood, qa, try out, re test, retest, re validate, revalidate, re check, recheck, prove, walk through, sign off on",
          compounds: "dialog, modal, popup, button, prompt, screen, box, badge, endpoint, checklist, harness, script", skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },
    Row { verbs: "check that, check whether, check if, check all, check every, check for regression, test that", skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },
    Row { verbs: "re run, rerun, run:", skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },
    Row { verbs: "run, execute", mentions: "test, *test, suite, check, linter, lint, *lint, clippy, mypy, ruff, tsc, type check, typecheck, build, benchmark, validation, verification, ci",
          skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },
    Row { verbs: "lint, type check, typecheck", compounds: "rule, config, configuration, error, warning, step, job, stage, plugin, command", skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },
    Row { verbs: "ensure", mentions: "test pass, suite pass, check pass, ci pass, build pass, green, still pass, still work", skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },
    Row { verbs: "validate, test, check", objects: "build, release build, release, fix, deployment, installation, installer, setup, result, acceptance criteria, coverage, regression, change, implementation, cli, plugin",
          skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },
    Row { verbs: "run, conduct, perform, do, carry out, execute", objects: "testing, qa, verification, validation, regression, dry run", skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },
    Row { verbs: "wait for", mentions: "verify, confirm, check", skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },
    Row { verbs: "test on, test in, test with, test against, test across, validate with/from/on/in/using/by/via/after", skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },
    Row { verbs: "test, validate, try", mentions: "manually, thoroughly, by hand, on staging, in production, in staging, locally, end to end, in browser, on device, \
                  install, demo, scenario, whole flow, entire flow, work, correctly, properly, as expected", skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },

    // Review requests.
    Row { verbs: "request, ask for, get, do, perform, run, conduct, obtain, have, need, schedule, arrange, complete, start, wait for",
          objects: "review, code review, reviewer, approval, signoff, sign off", skill: REQUESTING_CODE_REVIEW, ..ANY },
    Row { verbs: "ask, send, submit, hand, hand over, put, have, get, request", mentions: "to review, for review, for code review, reviewed, code review",
          skill: REQUESTING_CODE_REVIEW, ..ANY },
    Row { verbs: "review, re review, self review, code review, peer review",
          compounds: "queue, page, list, panel, form, score, dashboard, card, widget, app, mode, view, model, table, tool, comment, status, screen, button, \
                      webhook, endpoint, reminder, bot, step, gate, workflow, system", skill: REQUESTING_CODE_REVIEW, ..ANY },

    Row { verbs: "check", compounds: "in, out, box, mark, list, digit, constraint, sum, command, endpoint, runner, engine, result, status, service, api, button, page, \
                  type, rule, step, job, suite, script, function, helper, system, point", skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },

    // Changes to the program's behaviour.
    Row { verbs: "don't/don’t, do not, never, no longer, enhancement:, improvement:, feature request:", skill: TEST_DRIVEN_DEVELOPMENT, ..ANY },
    Row { verbs: "as", mentions: "i/we want/need/can/should/could, i/we would like, i'd like", skill: TEST_DRIVEN_DEVELOPMENT, ..ANY },
    Row { verbs: "implement, add, create, make, write, introduce, feat, feature:, allow, enable, disable, handle, improve, enhance, extend, expand, \
                  refactor, rename, replace, remove, delete, drop, move, extract, split, inline, convert, migrate, port, rewrite, rework, restructure, \
                  reorganize/reorganise, simplify, optimize/optimise, perf, speed up, reduce, minimize/minimise, shrink, lower, raise, increase, decrease, \
                  unify, consolidate, deduplicate, combine, generalize/generalise, decouple, modularize/modularise, parameterize/parameterise, wire, \
                  wire up, hook up, integrate, connect, attach, register, expose, parse, validate, render, show, hide, persist, return, accept, reject, \
                  emit, retry, send, receive, throttle, bound, paginate, detect, prevent, avoid, enforce, restrict, require, sanitize/sanitise, escape, \
                  normalize/normalise, encrypt, decrypt, generate, compute, calculate, derive, resolve, serialize/serialise, deserialize/deserialise, \
                  encode, decode, compress, debounce, cancel, abort, invalidate, expire, fetch, vendor, evict, propagate, forward, redirect, inject, wrap, \
                  adopt, apply, change, update, modify, adjust, adapt, tweak, tune, turn, trigger, dispatch, subscribe, notify, parallelize/parallelise, \
                  unlock, warn, let, give, keep, preserve, collapse, highlight, animate, truncate, ensure, harden, secure, protect, authenticate, \
                  authorize/authorise, rate limit, deprecate, stub, mock, cover, define, declare, annotate, clean up, pass, teach, provide, fill, fill in, \
                  flesh out, develop, establish, swap, bind, fall back, clamp, delegate, isolate, defer, skip, ignore, respect, honor/honour, surface, \
                  assign, embed, bundle, mirror, narrow, tighten, relax, widen, promote, retire, rebuild, abstract, centralize/centralise, clean, \
                  strengthen, patch, *alize, *alise, *erize, *erise, *orize, *orise, *imize, *onize, *icize, *arize, minify, beautify, prettify, \
                  stringify, classify, diversify, amplify, rectify, solidify, redesign, restyle, reorder, rearrange, restore, reuse, reconcile, refine, \
                  regenerate, reload, relocate, resize, select, separate, simulate, strip, submit, suppress, transform, trim, uninstall, unwrap, allocate, \
                  align, append, arrange, assemble, associate, augment, automate, backfill, backport, clear, collect, compile, compose, consume, correct, \
                  deny, detach, differentiate, discover, distinguish, distribute, divide, downgrade, draw, eliminate, enrich, enqueue, exclude, exempt, \
                  flatten, flush, force, freeze, grant, halt, hydrate, include, incorporate, infer, inherit, insert, instantiate, instrument, intercept, \
                  interpolate, invert, invoke, join, kill, listen, lay out, manage, maintain, memoize/memoise, negotiate, offload, omit, orchestrate, \
                  organize/organise, overhaul, pause, permit, populate, prefer, prefetch, preload, prepend, prune, purge, quarantine, randomize/randomise, \
                  recalculate, recompute, reconnect, recover, reformat, remap, repoint, reroute, respond, retain, retrieve, reveal, rewire, satisfy, \
                  shorten, slim down, stop, summarize/summarise, supply, terminate, tidy, tidy up, treat, unblock, unmount, unpack, unregister, unset, \
                  upsert, walk, rethink, modernize/modernise, streamline, lift, hoist, split up, break up, break out, pull out, factor out, phase out, \
                  roll back, fold, perform, bring, boost, default to, nest, reserve, reimplement, recreate, reintroduce, reinstate, reapply, recompile, \
                  renumber, repurpose, reword, rethrow, preprocess, scrape, crawl, fine tune, spawn, scroll to, jump to, navigate to, zoom to, snap to, \
                  added, removed, implemented, refactored, renamed, replaced, introduced, reworked, changed, moved, predict, rebrand, mint, forecast, \
                  extrapolate, accumulate, activate, deactivate, calibrate, concatenate, designate, emulate, encapsulate, enumerate, escalate, facilitate, \
                  federate, formulate, indicate, initiate, iterate, locate, manipulate, mediate, mitigate, modulate, mutate, navigate, negate, obfuscate, \
                  regulate, replicate, tabulate, tolerate, lengthen, darken, lighten, brighten, soften, sharpen, loosen, deepen, straighten, broaden, \
                  absorb, acquire, amend, assert, ban, bypass, carry, catch, center/centre, coalesce, collate, compact, conceal, condense, confine, \
                  conform, constrain, crop, cull, curate, decommission, deliver, demote, destroy, dim, disallow, discard, dismiss, dispose, disregard, \
                  elide, encourage, enlarge, equip, erase, evolve, fade, forbid, forget, fuse, guarantee, hand off, hold, impose, ingest, intersect, \
                  leave, leverage, mimic, multiply, obtain, overwrite, paint, pick up, plug, polish, prohibit, quantize, recolor/recolour, reconfigure, \
                  reconstruct, recycle, redact, refetch, reframe, regroup, reinforce, repaint, repeat, reposition, rescale, resend, revamp, revisit, \
                  revive, revoke, reward, serve, settle, silence, snooze, solve, stagger, stash, stitch, stretch, subtract, suggest, supersede, \
                  swallow, sweep, take, tally, throw, tie, transcribe, transpile, traverse, unfold, unlink, untangle, utilize/utilise, vary, withdraw, \
                  withhold, wipe, yield, cap, clip, warm up, wait for, wait until",
          skill: TEST_DRIVEN_DEVELOPMENT, ..ANY },
    // Words that are verbs unless one of the words in `compounds` follows. With `=`, only the base form is a verb:
    // `Tests` and `Logging` are nouns.
    Row { verbs: "support, use, finish, complete, request, open, close, start using, stop using",
          compounds: "up, queue, plan, system, button, layer, level, file, screen, dialog, page, panel, case, bar, icon, menu, hook, ticket, form, center, line, \
                      handler, handling, validation, validator, body, header, id, logger, logging, flow, model, type, context, source, state, api, of",
          skill: TEST_DRIVEN_DEVELOPMENT, ..ANY },
    Row { verbs: "=build, =import, =export, =load, =save, =cache, =display, =merge, =test, =sort, =filter, =group, =limit, =guard, =hash, =sign, =stream, \
                  =schedule, =switch, =set, =lock, =log, =store, =track, =print, =mark, =link, =map, =bridge, =scope, =style, =override, =sync, =reset, =copy, \
                  =toggle, =compare, =upload, =download, =refresh, =train, =call, =format, =factor, search for, building, merging, importing, exporting",
          compounds: "*ing, validation, invalidation, integration, implementation, aggregation, optimization/optimisation, rotation, generation, service, component, \
                      logic, engine, manager, handler, helper, runner, worker, client, server, controller, provider, parser, builder, guide, policy, rule, token, api, \
                      strategy, pipeline, function, functionality, feature, support, flow, progress, history, event, module, section, widget, modal, form, tab, card, \
                      sheet, up, fixture, harness, data, utility, infrastructure, queue, conflict, plan, system, button, layer, level, format, file, screen, \
                      dialog, wizard, mode, page, panel, case, bed, environment, setting, entry, list, table, bar, model, view, icon, menu, hook, suite, coverage, \
                      speed, time, size, key, stack, site, graph, tree, string, and, for, of",
          skill: TEST_DRIVEN_DEVELOPMENT, ..ANY },

    // Nouns, unless the next words show that they are verbs.
    Row { verbs: "=author, =default, =aggregate, =detail, =clone, =scan, =share, =block, =duplicate, =pin, =poll, =process, =query, =index, =list, =search, =record, =report, =queue, \
                  =batch, =flag, =label, =rank, =score, =name, =sample, =snapshot, =preview, =prompt, =mount, =match, =mute, =play, =resume, \
                  =scroll, =shift, =shuffle, =sum, time out, =transfer, =transition, =undo, =redo, =watch, =zoom, =trace, =stage, =reference, =balance, \
                  =scale, =round, =count, =drain, =dump, =gather, =focus, =trust, =bucket, =buffer, =order, =place, =position, =seed, =capture",
          compounds: "*", unless: "server, app, application, services, script, cluster, container", skill: TEST_DRIVEN_DEVELOPMENT, ..ANY },

    // Any word before an article is a verb. The verbs in `unless` describe work that changes no code.
    Row { verbs: "*", unless: "read, run, tag, publish, record, rotate, start, launch, release, ship, watch, monitor, wait, learn, study, understand, visit, meet, \
                  ask, tell, contact, email, invite, inform, demo, present, host, pay, buy, book, attend, announce, archive, prepare, post, inspect, browse, skim, \
                  print out, back up, restart, reboot, follow, note, remember, celebrate, interview, cut, hack, renew, prototype", skill: TEST_DRIVEN_DEVELOPMENT, ..ANY },

    // Titles that are only a name.
    Row { nouns: "spec review, spec compliance review, spec compliance, quality review, spec check, subagent driven development", skill: SUBAGENT_DRIVEN_DEVELOPMENT, ..ANY },
    Row { nouns: "code review, peer review, security review, pr review, pull request review, final review, branch review, diff review, review, self review",
          unless: "design, product, quarterly, annual, performance, customer", skill: REQUESTING_CODE_REVIEW, ..ANY },
    Row { nouns: "review feedback, review comment", skill: RECEIVING_CODE_REVIEW, ..ANY },
    Row { nouns: "implementation plan, migration plan, rollout plan, plan, task breakdown", unless: "pricing, subscription, data plan, floor plan, test", skill: WRITING_PLANS, ..ANY },
    Row { nouns: "worktree setup, worktree, isolated workspace", skill: USING_GIT_WORKTREES, ..ANY },
    Row { nouns: "verification, verification/regression/compliance sweep/pass/run, acceptance testing, acceptance test, manual testing/test, manual qa, qa, smoke test, smoke testing, sanity check, final check, regression testing, \
                  end to end testing, final testing, user acceptance testing", skill: VERIFICATION_BEFORE_COMPLETION, ..ANY },
    Row { nouns: "root cause analysis, fix, bug fix, debugging session, bug hunt", skill: SYSTEMATIC_DEBUGGING, ..ANY },
    Row { nouns: "pull request, branch completion, branch cleanup, worktree cleanup", skill: FINISHING_A_DEVELOPMENT_BRANCH, ..ANY },
    Row { nouns: "design exploration, design discussion, design session, requirements gathering", skill: BRAINSTORMING, ..ANY },
    Row { nouns: "implementation, refactoring", skill: TEST_DRIVEN_DEVELOPMENT, ..ANY },
];
