//! A skill read from its folder and checked against every rule, with each problem shown in its text.

use std::collections::{BTreeMap, BTreeSet};

use bugle_core::path::SkillPath;
use bugle_core::role::{AgentRole, Role};
use bugle_core::validate::{
    Manifest, Package, Place as At, Problem, Rule, Templates as _, check_body, check_length, check_manifest,
    validate,
};
use bugle_core::workflow::{Given, StepDef, Workflow, WorkflowDef};
use bugle_render::template::Engine;
use bugle_skill::{SourceMap, parse_role, parse_skill_file, parse_workflow};
use bugle_wire::ProblemView;

use crate::catalogue::Found;
use crate::files::{self, Shared, SkillBytes};
use crate::{Place, conventions};

/// A skill that was read and checked.
#[derive(Debug)]
pub struct CheckedPackage {
    /// Where it was found.
    pub found: Found,
    /// Its front matter, if it could be read.
    pub manifest: Option<Manifest>,
    /// The body of its `SKILL.md`.
    pub body: String,
    /// What the author wrote, if there is a workflow that could be read.
    pub definition: Option<WorkflowDef>,
    /// The workflow, if it passed every rule.
    pub workflow: Option<Workflow>,
    /// The workflows of its sub-agents that passed every rule.
    pub children: BTreeMap<SkillPath, Workflow>,
    /// The roles that its steps and sub-agents take.
    pub roles: BTreeMap<AgentRole, Role>,
    /// Everything that is wrong.
    pub problems: Vec<Problem>,
    pub(crate) files: BTreeMap<SkillPath, SkillBytes>,
    pub(crate) package: Package,
    places: BTreeMap<SkillPath, SourceMap>,
}

/// Reads and checks a skill.
pub fn check_found(place: &Place, found: Found) -> CheckedPackage {
    let mut problems = Vec::new();
    let files = files::of(place, &found, &mut problems);
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
        places: BTreeMap::new(),
    };
    checked.read_texts();
    checked.check_workflows(place);
    checked.check_skill_file();
    checked
}

impl CheckedPackage {
    /// Whether nothing keeps it from running.
    pub fn is_sound(&self) -> bool {
        !self.problems.iter().any(Problem::is_error)
    }

    /// Texts are UTF-8; what is not is a problem of its file.
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
                    message: format!("`{path}` is not text in UTF-8"),
                    fix: "save it as UTF-8, or take it out of the folder".to_owned(),
                }),
            }
        }
    }

    fn check_workflows(&mut self, place: &Place) {
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
            let (definition, places, problems) = parse_workflow(&file, text);
            self.places.insert(file.clone(), places);
            self.problems.extend(problems);
            parsed.extend(definition.map(|definition| (file, definition)));
        }
        self.package.children = parsed
            .iter()
            .filter(|(file, _)| file.as_str() != "workflow.yaml")
            .map(|(file, def)| (file.clone(), def.clone()))
            .collect();
        self.add_conventions(place, parsed.values());
        self.add_roles(place, parsed.values());
        let engine = Engine::default();
        for (file, definition) in parsed {
            let broken = self
                .problems
                .iter()
                .any(|problem| problem.is_error() && problem.place.file() == &file);
            let verdict = validate(&file, definition.clone(), &self.package, &engine);
            self.problems.extend(verdict.problems);
            let workflow = verdict.workflow.filter(|_| !broken);
            self.fill_in(&file, &definition, &engine);
            if file.as_str() == "workflow.yaml" {
                self.definition = Some(definition);
                self.workflow = workflow;
            } else {
                self.children.extend(workflow.map(|workflow| (file, workflow)));
            }
        }
    }

    /// The conventions that the workflows ask for become files of the package, so that they are pinned with it.
    fn add_conventions<'a>(&mut self, place: &Place, definitions: impl Iterator<Item = &'a WorkflowDef>) {
        let steps = definitions.flat_map(|definition| &definition.steps);
        let named: Vec<&String> = steps.flat_map(|step| &step.conventions).collect();
        let base = |name: &'a str| name.split('#').next().unwrap_or(name);
        let wanted: BTreeSet<&str> = named.iter().map(|name| base(name)).collect();
        // Most skills ask for none, and then nothing has to be read.
        if wanted.is_empty() {
            return;
        }
        self.package.conventions = conventions::known_names(place);
        for name in wanted {
            let Some((path, file)) = self.shared(place, Shared::Convention, name) else {
                // What is wrong with its file was reported; that it is missing is no second problem.
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

    /// A text that skills share; one that cannot be used is a problem.
    fn shared(&mut self, place: &Place, kind: Shared, name: &str) -> Option<(SkillPath, SkillBytes)> {
        match files::shared(place, kind, name) {
            Ok(file) => kind.file(name).zip(file),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    /// The roles that the workflows give out become files of the package, so that they are pinned with it.
    fn add_roles<'a>(&mut self, place: &Place, definitions: impl Iterator<Item = &'a WorkflowDef>) {
        let steps = definitions.flat_map(|definition| &definition.steps);
        let wanted: BTreeSet<AgentRole> = steps
            .flat_map(|step| {
                let (role, given) = step.acting(None);
                (given != Given::Nowise)
                    .then_some(role)
                    .into_iter()
                    .chain(step.dispatch.as_ref().map(|dispatch| dispatch.role))
            })
            .collect();
        for role in wanted {
            let Some((path, file)) = self.shared(place, Shared::Role, role.as_str()) else {
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

    /// Texts are tried out and measured as an agent would see them, with values filled in.
    fn fill_in(&mut self, file: &SkillPath, definition: &WorkflowDef, engine: &Engine) {
        for step in &definition.steps {
            let documents = self.documents(step);
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
                &crate::example::context(definition, step, &self.package.children),
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
            // What does not even parse was reported where it stands. A value that is not there may be on another path;
            // anything else no value could mend.
            if let Some(error) = rendered.as_ref().err().filter(|error| !error.undefined)
                && engine.references(text).is_ok()
            {
                let message = format!("the text of step `{}` cannot be filled in: {error}", step.id);
                report(
                    Rule::BadTemplate,
                    message,
                    "use only the filters and tests that docs/skills.md lists",
                );
            }
            let length = rendered.as_deref().unwrap_or(text).chars().count();
            if let Some((rule, message, fix)) = check_length(step, length, documents) {
                report(rule, message, fix);
            }
        }
    }

    /// How many characters the documents below a step have.
    fn documents(&self, step: &StepDef) -> usize {
        let resources = step
            .resources
            .iter()
            .filter_map(|path| self.package.texts.get(path));
        let resources = resources.map(|text| text.chars().count()).sum::<usize>();
        // Which section a value will name is not known.
        let conventions = step.conventions.iter().filter(|wanted| !wanted.contains("{{"));
        let conventions = conventions.filter_map(|wanted| {
            let name = wanted.split('#').next().unwrap_or(wanted);
            let text = self.package.texts.get(&Shared::Convention.file(name)?)?;
            Some(conventions::asked_for(text, wanted)?.chars().count())
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
                    message: "there is no SKILL.md".to_owned(),
                    fix: "write one, with `name` and `description` in its front matter".to_owned(),
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
                // Where no workflow leads, the body is all there is, and may count as it likes.
                if self.definition.is_some() {
                    let offset = text.len() - skill.body.len();
                    self.problems.extend(check_body(&file, offset, &skill.body));
                }
                self.places.insert(file, skill.places);
                self.body = skill.body;
                self.manifest = Some(skill.manifest);
            }
        }
    }

    /// Every problem with its line and column, in the order of files and lines; errors before warnings.
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
        let span = self.places.get(file).map_or_else(
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
            severity: if problem.is_error() { "error" } else { "warning" }.to_owned(),
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
