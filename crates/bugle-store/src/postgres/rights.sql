-- The rights of viewers, members and leads. Names in braces are placeholders. The statements can run any number of
-- times. Policies do not apply to the owner of the tables, who has all rights.

CREATE OR REPLACE FUNCTION bugle_role() RETURNS TEXT LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
  SELECT CASE WHEN pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = 'member'::regclass), 'MEMBER')
    THEN 'lead' ELSE (SELECT role FROM member WHERE person = session_user) END
$$;

CREATE OR REPLACE FUNCTION bugle_sees_all() RETURNS BOOLEAN LANGUAGE sql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$ SELECT EXISTS (SELECT 1 FROM member WHERE person = session_user AND every_project = 1) $$;

CREATE OR REPLACE FUNCTION bugle_projects() RETURNS SETOF TEXT LANGUAGE sql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$ SELECT project_id FROM member_project WHERE person = session_user $$;

-- Refuses events that only a lead may record. Also refuses events that are not in Bugle's format, because this
-- function could not read their kind and visit.
CREATE OR REPLACE FUNCTION bugle_guard_event() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  visit TEXT := substring(NEW.body FROM '^\{"(?:ended|judged)":\{"visit":([0-9]+)[,}]');
  decides BOOLEAN := NEW.body LIKE '{"risks_accepted":%';
BEGIN
  IF bugle_role() = 'lead' THEN
    RETURN NEW;
  END IF;
  IF NEW.body !~ '^(\{"[a-z_]+":|"[a-z_]+"$)'
    OR (visit IS NULL AND (NEW.body LIKE '{"ended":%' OR NEW.body LIKE '{"judged":%')) THEN
    RAISE EXCEPTION 'this event is not in Bugle''s format' USING ERRCODE = '42501';
  END IF;
  IF NEW.body LIKE '{"ended":%' THEN
    decides := EXISTS (SELECT 1 FROM event AS judged WHERE judged.run_id = NEW.run_id
      AND judged.body LIKE '{"judged":%'
      AND substring(judged.body FROM '^\{"judged":\{"visit":([0-9]+)[,}]') = visit);
  END IF;
  IF decides AND ((SELECT project.decides FROM run JOIN project ON project.id = run.project_id
      WHERE run.id = NEW.run_id) IS DISTINCT FROM 'member'
    OR EXISTS (SELECT 1 FROM event AS first WHERE first.run_id = NEW.run_id
      AND first.body ~ '^\{"(started|upgraded)":\{"decides":"lead"')) THEN
    RAISE EXCEPTION 'only a lead can decide at gates' USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
DROP TRIGGER IF EXISTS bugle_guard ON event;
CREATE TRIGGER bugle_guard BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION bugle_guard_event();
CREATE INDEX IF NOT EXISTS event_that_judged ON event (run_id) WHERE body LIKE '{"judged":%';
CREATE INDEX IF NOT EXISTS event_that_requires_lead ON event (run_id)
  WHERE body ~ '^\{"(started|upgraded)":\{"decides":"lead"';

-- Only a lead may change which role decides at a project's gates.
CREATE OR REPLACE FUNCTION bugle_guard_project() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  IF bugle_role() IS DISTINCT FROM 'lead'
    AND NEW.decides <> (CASE TG_OP WHEN 'INSERT' THEN 'lead' ELSE OLD.decides END) THEN
    RAISE EXCEPTION 'only a lead can change `decides`' USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
DROP TRIGGER IF EXISTS bugle_guard ON project;
CREATE TRIGGER bugle_guard BEFORE INSERT OR UPDATE ON project FOR EACH ROW EXECUTE FUNCTION bugle_guard_project();

-- Adds a member or changes their role, and adds projects to their list. Without projects, they see all. If the database role does not exist, creates it without a password and returns
-- true.
CREATE OR REPLACE FUNCTION bugle_add_member(new_person TEXT, new_name TEXT, new_role TEXT, projects TEXT, now BIGINT)
RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  is_new BOOLEAN := NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = new_person);
  listed TEXT;
BEGIN
  IF bugle_role() IS DISTINCT FROM 'lead' THEN
    RAISE EXCEPTION 'only a lead can change members' USING ERRCODE = '42501';
  END IF;
  IF is_new THEN
    EXECUTE format('CREATE ROLE %I LOGIN', new_person);
  END IF;
  FOREACH listed IN ARRAY ARRAY['viewer', 'member', 'lead'] LOOP
    IF listed <> new_role AND pg_has_role(new_person, '{groups}_' || listed, 'MEMBER') THEN
      EXECUTE format('REVOKE %I FROM %I', '{groups}_' || listed, new_person);
    END IF;
  END LOOP;
  EXECUTE format('GRANT %I TO %I', '{groups}_' || new_role, new_person);
  INSERT INTO member (person, name, role, every_project, added_at)
    VALUES (new_person, new_name, new_role, CASE WHEN projects = '' THEN 1 ELSE 0 END, now)
    ON CONFLICT (person) DO UPDATE SET name = excluded.name, role = excluded.role,
      every_project = excluded.every_project;
  IF projects = '' THEN
    DELETE FROM member_project WHERE person = new_person;
  ELSE
    INSERT INTO member_project (person, project_id) SELECT new_person, unnest(string_to_array(projects, ' '))
      ON CONFLICT DO NOTHING;
  END IF;
  RETURN is_new;
END $$;

-- Removes a member. The database role is kept, without rights in this database. Returns whether it was a member.
CREATE OR REPLACE FUNCTION bugle_remove_member(old_person TEXT) RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  listed TEXT;
BEGIN
  IF bugle_role() IS DISTINCT FROM 'lead' THEN
    RAISE EXCEPTION 'only a lead can change members' USING ERRCODE = '42501';
  END IF;
  FOREACH listed IN ARRAY ARRAY['viewer', 'member', 'lead'] LOOP
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = old_person)
      AND pg_has_role(old_person, '{groups}_' || listed, 'MEMBER') THEN
      EXECUTE format('REVOKE %I FROM %I', '{groups}_' || listed, old_person);
    END IF;
  END LOOP;
  DELETE FROM member_project WHERE person = old_person;
  DELETE FROM member WHERE person = old_person;
  RETURN FOUND;
END $$;
REVOKE EXECUTE ON FUNCTION bugle_add_member, bugle_remove_member FROM PUBLIC;
GRANT EXECUTE ON FUNCTION bugle_add_member, bugle_remove_member TO "{groups}_lead";
GRANT EXECUTE ON FUNCTION bugle_blob, bugle_compiled TO "{groups}_viewer";

-- Viewers only read. Members append to the event logs, and change only rows that are derived from them. Leads also
-- trust skills and merge projects.
DO $$
BEGIN
  EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO "{groups}_viewer"', current_schema());
END $$;
GRANT INSERT ON event, task_event, message, wakeup, blob, compiled, machine TO "{groups}_member";
GRANT UPDATE (name, seen_at) ON machine TO "{groups}_member";
GRANT INSERT, UPDATE, DELETE ON project_place, session, focus, subagent, subagent_call, agent, launch, mailbox,
  delivery, exchange, notice, run, snapshot, task, dependency, plan, skill_pin, machine_trust
  TO "{groups}_member";
GRANT INSERT, UPDATE ON project, chain, bugle_commit TO "{groups}_member";
GRANT INSERT, DELETE ON trust TO "{groups}_lead";
GRANT INSERT ON trust_event TO "{groups}_lead";
GRANT DELETE ON project TO "{groups}_lead";
GRANT UPDATE (project_id, seq) ON message, wakeup TO "{groups}_lead";

-- A person sees only the rows of their projects. Rows without a project belong to a run, a task or a person. Blobs and
-- compiled skills are read by their hash.
DO $$
DECLARE
  listed TEXT;
  visible TEXT := '(SELECT bugle_sees_all()) OR %s IN (SELECT bugle_projects())';
BEGIN
  FOR listed IN SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
    AND relname NOT IN ('machine', 'trust', 'trust_event', 'member', 'bugle_schema', 'bugle_commit') LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', listed);
    EXECUTE format('DROP POLICY IF EXISTS bugle ON %I', listed);
    EXECUTE format('CREATE POLICY bugle ON %I TO "{groups}_viewer" USING (', listed) || CASE
      WHEN listed = 'project' THEN format(visible, 'id')
      WHEN listed IN ('event', 'snapshot', 'subagent') THEN
        format('(SELECT bugle_sees_all()) OR EXISTS (SELECT 1 FROM run WHERE run.id = %I.run_id)', listed)
      WHEN listed IN ('task_event', 'dependency') THEN
        format('(SELECT bugle_sees_all()) OR EXISTS (SELECT 1 FROM task WHERE task.id = %I.task_id)', listed)
      WHEN listed = 'skill_pin' THEN
        '(SELECT bugle_sees_all()) OR EXISTS (SELECT 1 FROM task WHERE task.id = skill_pin.root_id)'
      WHEN listed = 'exchange' THEN format(visible, 'split_part(first, '' '', 1)')
      WHEN listed = 'chain' THEN 'TRUE'
      WHEN listed IN ('blob', 'compiled') THEN '(SELECT bugle_sees_all())'
      WHEN listed IN ('machine_trust', 'session', 'subagent_call') THEN 'person = session_user'
      WHEN listed = 'member_project' THEN 'person = session_user OR (SELECT bugle_sees_all())'
      ELSE format(visible, 'project_id')
    END || CASE WHEN listed IN ('blob', 'compiled') THEN ') WITH CHECK (TRUE)' ELSE ')' END;
  END LOOP;
END $$;
-- Only a lead may update the end of the trust chain, which every trust decision changes.
DROP POLICY IF EXISTS bugle_trust ON chain;
CREATE POLICY bugle_trust ON chain AS RESTRICTIVE FOR UPDATE TO "{groups}_viewer"
  USING (name <> 'trust' OR bugle_role() = 'lead');
