import { answer, type Answer, Handles } from '@carillon/bus';
import { healthOf, type Hindrance, type ServiceHealth } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Controller, Inject, type Type } from '@nestjs/common';

/** The reasons why a service is not ready: its database, and each projection that is not current, except new ones. */
export async function hindrancesOf(database: Database, projections: Projections): Promise<Hindrance[]> {
  const hindrances: Hindrance[] = projections
    .statuses()
    .filter(({ current, filling }) => !current && !filling)
    .map(({ projection, reason = '', percent, events, secondsLeft }) => ({
      projection,
      reason,
      percent,
      events,
      ...(secondsLeft !== undefined && { secondsLeft }),
    }));
  try {
    await database.query('SELECT 1');
  } catch {
    hindrances.unshift({ reason: 'its database does not answer' });
  }
  return hindrances;
}

/** The handler for a service's readiness: its database answers and each of its projections is current. */
export function healthHandlers(service: string): Type {
  @Controller()
  class HealthHandlers {
    constructor(
      @Inject(Database) private readonly database: Database,
      @Inject(Projections) private readonly projections: Projections,
      @Inject(Log) private readonly log: Log,
    ) {}

    @Handles(healthOf(service))
    async health(): Promise<Answer<ServiceHealth>> {
      const hindrances = await hindrancesOf(this.database, this.projections);
      const { unreadable } = this.log;
      const filling = this.projections.statuses().filter((status) => status.filling);
      const notices = [
        ...(unreadable === 0
          ? []
          : [`${unreadable} events could not be opened since the start; the log names each`]),
        ...filling.map(({ projection, percent }) => `${projection} is new, and filled to ${percent} %`),
      ];
      return answer({ hindrances, notices });
    }
  }
  return HealthHandlers;
}
