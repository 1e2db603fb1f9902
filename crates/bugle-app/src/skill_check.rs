//! Reads a skill, checks it against every rule, and locates each problem in its file.

use std::collections::{BTreeMap, BTreeSet};

use bugle_core::path::SkillPath;
use bugle_core::reply::{ProblemSeverity, ProblemView};
use bugle_core::role::{AgentRole, Role};
use bugle_core::validate::{
    Manifest, Package, Problem, ProblemLocation as At, Rule, Templates as _, check_body, check_length,
    check_manifest, validate,
};
use bugle_core::workflow::{RoleSource, StepDef, Workflow, WorkflowDef};
use bugle_render::template::Engine;
use bugle_skill::{SourceMap, parse_role, parse_skill_file, parse_workflow};

use crate::catalogue::Found;
use crate::files::{self, Shared, SkillBytes};
use crate::{Context, conventions};

/// A skill that was read and checked.
#[derive(Debug)]
pub struct CheckedPackage {
    /// Where the skill was found.
    pub found: Found,
    /// The skill's front matter, if it could be read.
    pub manifest: Option<Manifest>,
    /// The body of the skill's `SKILL.md`.
    pub body: String,
    /// The author's workflow before any rule is checked; `None` if the file is missing or cannot be parsed.
    pub definition: Option<WorkflowDef>,
    /// The workflow, if it passed every rule.
    pub workflow: Option<Workflow>,
    /// The sub-agent workflows that passed every rule.
    pub children: BTreeMap<SkillPath, Workflow>,
    /// The roles that the skill's steps and sub-agents use.
    pub roles: BTreeMap<AgentRole, Role>,
    /// All problems.
    pub problems: Vec<Problem>,
    pub(crate) files: BTreeMap<SkillPath, SkillBytes>,
    pub(crate) package: Package,
    source_maps: BTreeMap<SkillPath, SourceMap>,
}

/// Reads and checks a skill.
pub fn check_found(ctx: &Context, found: Found) -> CheckedPackage {
    let mut problems = Vec::new();
    let files = files::read_skill_files(ctx, &found, &mut problems);
    let mut checked = CheckedPackage {
        found,
        manifest: None,
        body: String::new(),
        definition: None,
        workflow: None,
        children: BTreeMap::new(),
        roles: BTreeMap::new(),
        problems,
        files,
        package: Package::default(),
        source_maps: BTreeMap::new(),
    };
    checked.read_texts();
    checked.check_workflows(ctx);
    checked.check_skill_file();
    checked
}

impl CheckedPackage {
    /// Whether the skill can run: it has no errors.
    pub fn is_sound(&self) -> bool {
        !self.problems.iter().any(Problem::is_error)
    }

    /// Reads the files as UTF-8. Reports files in another encoding as problems.
    fn read_texts(&mut self) {
        for (path, file) in &self.files {
            match std::str::from_utf8(&file.bytes) {
                Ok(text) if !text.contains('\0') => {
                    self.package.texts.insert(
                        path.clone(),
                        text.strip_prefix('\u{feff}').unwrap_or(text).to_owned(),
                    );
                }
                _ => self.problems.push(Problem {
                    rule: Rule::UnreadableFile,
                    place: At::File(path.clone()),
                    message: format!("`{path}` is not valid UTF-8"),
                    fix: "save the file as UTF-8, or remove it from the folder".to_owned(),
                }),
            }
        }
    }

    fn check_workflows(&mut self, ctx: &Context) {
        let workflow_files: Vec<SkillPath> = self
            .package
            .texts
            .keys()
            .filter(|path| {
                let path = path.as_str();
                path == "workflow.yaml" || (path.starts_with("agents/") && path.ends_with(".yaml"))
            })
            .cloned()
            .collect();
        let mut parsed: BTreeMap<SkillPath, WorkflowDef> = BTreeMap::new();
        for file in workflow_files {
            let text = &self.package.texts[&file];
            let (definition, source_maps, problems) = parse_workflow(&file, text);
            self.source_maps.insert(file.clone(), source_maps);
            self.problems.extend(problems);
            parsed.extend(definition.map(|definition| (file, definition)));
        }
        self.package.children = parsed
            .iter()
            .filter(|(file, _)| file.as_str() != "workflow.yaml")
            .map(|(file, def)| (file.clone(), def.clone()))
            .collect();
        self.add_conventions(ctx, parsed.values());
        self.add_roles(ctx, parsed.values());
        let engine = Engine::default();
        for (file, definition) in parsed {
            let broken = self
                .problems
                .iter()
                .any(|problem| problem.is_error() && problem.place.file() == &file);
            let verdict = validate(&file, definition.clone(), &self.package, &engine);
            let steps = self.steps_with_bad_expressions(&file);
            let problems = verdict.problems.into_iter();
            let follows = |problem: &Problem| problem.place.step().is_some_and(|step| steps.contains(step));
            self.problems.extend(problems.filter(|problem| !follows(problem)));
            let workflow = verdict.workflow.filter(|_| !broken);
            self.check_texts(&file, &definition, &engine);
            if file.as_str() == "workflow.yaml" {
                self.definition = Some(definition);
                self.workflow = workflow;
            } else {
                self.children.extend(workflow.map(|workflow| (file, workflow)));
            }
        }
    }

    /// The steps with an expression that does not parse. The parser leaves the expression out of the workflow, so other
    /// problems of such a step may only follow from that.
    fn steps_with_bad_expressions(&self, file: &SkillPath) -> BTreeSet<String> {
        let problems = self.problems.iter();
        let bad =
            problems.filter(|problem| problem.rule == Rule::BadExpression && problem.place.file() == file);
        bad.filter_map(|problem| problem.place.step().map(str::to_owned))
            .collect()
    }

    /// Adds the conventions that the workflows use to the package, so that these conventions are pinned with it.
    fn add_conventions<'a>(&mut self, ctx: &Context, definitions: impl Iterator<Item = &'a WorkflowDef>) {
        let steps = definitions.flat_map(|definition| &definition.steps);
        let named: Vec<&String> = steps.flat_map(|step| &step.conventions).collect();
        let base = |name: &'a str| name.split('#').next().unwrap_or(name);
        let wanted: BTreeSet<&str> = named.iter().map(|name| base(name)).collect();
        // Most skills use no conventions, so usually no file is read.
        if wanted.is_empty() {
            return;
        }
        self.package.conventions = conventions::known_names(ctx);
        for name in wanted {
            let Some((path, file)) = self.shared(ctx, Shared::Convention, name) else {
                // The problem with the file is already reported, so do not also report a missing convention.
                let unusable = named.iter().filter(|named| base(named) == name);
                if self
                    .problems
                    .iter()
                    .any(|problem| problem.rule == Rule::UnsafePath)
                {
                    self.package.conventions.extend(unusable.map(ToString::to_string));
                }
                continue;
            };
            self.package
                .texts
                .insert(path.clone(), String::from_utf8_lossy(&file.bytes).into_owned());
            self.files.insert(path, file);
        }
    }

    /// Reads a shared text. Reports a problem if the text cannot be used.
    fn shared(&mut self, ctx: &Context, kind: Shared, name: &str) -> Option<(SkillPath, SkillBytes)> {
        match files::shared(ctx, kind, name) {
            Ok(file) => kind.file(name).zip(file),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    /// Adds the roles that the workflows use to the package, so that these roles are pinned with it.
    fn add_roles<'a>(&mut self, ctx: &Context, definitions: impl Iterator<Item = &'a WorkflowDef>) {
        let steps = definitions.flat_map(|definition| &definition.steps);
        let wanted: BTreeSet<AgentRole> = steps
            .flat_map(|step| {
                let (role, source) = step.acting(None);
                (source != RoleSource::Unassigned)
                    .then_some(role)
                    .into_iter()
                    .chain(step.dispatch.as_ref().map(|dispatch| dispatch.role))
            })
            .collect();
        for role in wanted {
            let Some((path, file)) = self.shared(ctx, Shared::Role, role.as_str()) else {
                continue;
            };
            let text = String::from_utf8_lossy(&file.bytes).into_owned();
            match parse_role(&path, role, &text) {
                Ok(parsed) => {
                    self.roles.insert(role, parsed);
                }
                Err(problem) => self.problems.push(problem),
            }
            self.package.texts.insert(path.clone(), text);
            self.files.insert(path, file);
        }
    }

    /// Renders the steps' texts with sample values. Reports errors and texts that are too long.
    fn check_texts(&mut self, file: &SkillPath, definition: &WorkflowDef, engine: &Engine) {
        for step in &definition.steps {
            let documents = self.documents_length(step);
            let text = match &step.action {
                bugle_core::workflow::StepText::Inline(text)
                | bugle_core::workflow::StepText::Literal(text) => text,
                bugle_core::workflow::StepText::File(path) => match self.package.texts.get(path) {
                    Some(text) => text,
                    None => continue,
                },
            };
            let rendered = engine.render(
                text,
                &crate::sample_values::context(definition, step, &self.package.children),
            );
            let mut report = |rule, message, fix: &str| {
                let place = At::Key {
                    file: file.clone(),
                    path: format!("steps.{}.do", step.id),
                };
                self.problems.push(Problem {
                    rule,
                    place,
                    message,
                    fix: fix.to_owned(),
                });
            };
            // Syntax errors are already reported. A value that is undefined here may be defined on another path
            // through the workflow. Any other error occurs for every value.
            if let Some(error) = rendered.as_ref().err().filter(|error| !error.undefined)
                && engine.references(text).is_ok()
            {
                let message = format!("cannot render the text of step `{}`: {error}", step.id);
                report(
                    Rule::BadTemplate,
                    message,
                    "use only the filters and tests that docs/reference/skill-format.md lists",
                );
            }
            let length = rendered.as_deref().unwrap_or(text).chars().count();
            if let Some((rule, message, fix)) = check_length(step, length, documents) {
                report(rule, message, fix);
            }
        }
    }

    /// The length of a step's resources and conventions, in characters.
    fn documents_length(&self, step: &StepDef) -> usize {
        let resources = step
            .resources
            .iter()
            .filter_map(|path| self.package.texts.get(path));
        let resources = resources.map(|text| text.chars().count()).sum::<usize>();
        // The section that a template value selects is not known yet.
        let conventions = step.conventions.iter().filter(|wanted| !wanted.contains("{{"));
        let conventions = conventions.filter_map(|wanted| {
            let name = wanted.split('#').next().unwrap_or(wanted);
            let text = self.package.texts.get(&Shared::Convention.file(name)?)?;
            Some(conventions::excerpt(text, wanted)?.chars().count())
        });
        resources + conventions.sum::<usize>()
    }

    fn check_skill_file(&mut self) {
        let Ok(file) = SkillPath::new("SKILL.md") else {
            return;
        };
        let Some(text) = self.package.texts.get(&file) else {
            if !self.problems.iter().any(|problem| problem.place.file() == &file) {
                self.problems.push(Problem {
                    rule: Rule::BadFrontMatter,
                    place: At::File(file),
                    message: "SKILL.md is missing".to_owned(),
                    fix: "add a SKILL.md with `name` and `description` in its front matter".to_owned(),
                });
            }
            return;
        };
        match parse_skill_file(&file, text) {
            Err(problem) => self.problems.push(problem),
            Ok(skill) => {
                let folder = Some(self.found.name());
                self.problems.extend(check_manifest(
                    &file,
                    folder,
                    &skill.manifest,
                    self.definition.as_ref(),
                ));
                // Without a workflow, the body is the whole skill, so it may have numbered steps.
                if self.definition.is_some() {
                    let offset = text.len() - skill.body.len();
                    self.problems.extend(check_body(&file, offset, &skill.body));
                }
                self.source_maps.insert(file, skill.places);
                self.body = skill.body;
                self.manifest = Some(skill.manifest);
            }
        }
    }

    /// The problems with their lines and columns. Errors come before warnings; each group is sorted by file and line.
    pub fn problem_views(&self, colour: bool) -> Vec<ProblemView> {
        let mut views: Vec<ProblemView> = self
            .problems
            .iter()
            .map(|problem| self.problem_view(problem, colour))
            .collect();
        views.sort_by(|a, b| {
            (&a.severity, &a.file, a.line, a.column, &a.code).cmp(&(
                &b.severity,
                &b.file,
                b.line,
                b.column,
                &b.code,
            ))
        });
        views.dedup();
        views
    }

    fn problem_view(&self, problem: &Problem, colour: bool) -> ProblemView {
        let file = problem.place.file();
        let shown = match &self.found.path {
            Some(path) if path.is_dir() => path.join(file.as_str()).display().to_string(),
            Some(path) => path.display().to_string(),
            None => format!("{}/{file}", self.found.name()),
        };
        let text = self.package.texts.get(file);
        let span = self.source_maps.get(file).map_or_else(
            || SourceMap::default().locate(&problem.place),
            |map| map.locate(&problem.place),
        );
        let source = text
            .zip(span)
            .map(|(text, span)| (text.as_str(), span.start..span.end));
        let place = source
            .as_ref()
            .map(|(text, span)| bugle_render::problem::line_and_column(text, span.start));
        ProblemView {
            code: problem.rule.code().to_owned(),
            severity: if problem.is_error() {
                ProblemSeverity::Error
            } else {
                ProblemSeverity::Warning
            },
            message: problem.message.clone(),
            fix: problem.fix.clone(),
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            span: span.map(|span| (span.start, span.end)),
            snippet: bugle_render::problem::problem(problem, &shown, source, colour),
            file: shown,
        }
    }
}
