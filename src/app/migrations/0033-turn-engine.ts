import { readFile } from "node:fs/promises";
import { Migration } from "@mikro-orm/migrations";

const absurdFile = new URL("absurd-0.5.1/absurd.sql", import.meta.url);

/** The engine that executes turns (Absurd, carried as released), and its queue of turns. */
export class CreateTurnQueueMigration extends Migration {
  override async up(): Promise<void> {
    // The released SQL would go on in a schema of somebody else.
    this.addSql(`create schema "absurd"`);
    this.addSql(await readFile(absurdFile, "utf8"));
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `select absurd.create_queue('turns')`,

  // New turns, and turns taken from a lost worker: who is idle hears of them.
  `create trigger "r_turns_change" after insert on "absurd"."r_turns"
     for each row execute function causeway_notify_change('claimed_by', 'run_id')`,

  // A lease that has run out makes a new run, due a moment after the claim that made it
  // began. Whoever finds the lease takes the run with a second claim.
  `create function causeway_claim_turns(p_worker_id text, p_seconds integer, p_count integer)
  returns table (run_id uuid, task_id uuid, attempt integer, params jsonb)
  language plpgsql as $function$
  declare
    claimed integer;
    missing integer := p_count;
  begin
    for pass in 1..2 loop
      return query select claim.run_id, claim.task_id, claim.attempt, claim.params
        from absurd.claim_task('turns', p_worker_id, p_seconds, missing) as claim;
      get diagnostics claimed = row_count;
      missing := missing - claimed;
      exit when missing <= 0;
    end loop;
  end
  $function$`,
];
