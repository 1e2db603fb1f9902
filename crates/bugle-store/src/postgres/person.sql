-- Records the database role on every new row. Only the owner may keep another person's name, to move a store.
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
    'machine_trust'] LOOP
    EXECUTE format('DROP TRIGGER IF EXISTS bugle_person ON %I', listed);
    EXECUTE format('CREATE TRIGGER bugle_person BEFORE INSERT ON %I FOR EACH ROW EXECUTE FUNCTION bugle_record_person()',
      listed);
  END LOOP;
END $$;
