-- Records the database role on every new row. Only the owner may insert another person's name, to move a store.
CREATE OR REPLACE FUNCTION bugle_record_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.person IS NULL
    OR NOT pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
    NEW.person := session_user;
  END IF;
  RETURN NEW;
END $$;
DO $$
DECLARE listed TEXT;
BEGIN
  FOREACH listed IN ARRAY ARRAY['event', 'task_event', 'message', 'trust', 'trust_event', 'machine',
    'machine_trust', 'session', 'subagent_call'] LOOP
    EXECUTE format('DROP TRIGGER IF EXISTS bugle_person ON %I', listed);
    EXECUTE format('CREATE TRIGGER bugle_person BEFORE INSERT ON %I FOR EACH ROW EXECUTE FUNCTION bugle_record_person()',
      listed);
  END LOOP;
END $$;
-- Read a blob or a compiled skill by its hash. A person who does not see all projects cannot list these tables, and
-- finds hashes only in the rows of their own projects.
CREATE OR REPLACE FUNCTION bugle_blob(wanted TEXT) RETURNS TABLE (content BYTEA) LANGUAGE sql STABLE SECURITY DEFINER
SET search_path FROM CURRENT
AS $$ SELECT blob.content FROM blob WHERE blob.hash = wanted $$;
CREATE OR REPLACE FUNCTION bugle_compiled(wanted TEXT, version BIGINT) RETURNS TABLE (body TEXT, hash TEXT) LANGUAGE sql
STABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$ SELECT compiled.body, compiled.hash FROM compiled WHERE compiled.pin = wanted AND compiled.compiler = version $$;
REVOKE EXECUTE ON FUNCTION bugle_blob, bugle_compiled FROM PUBLIC;
