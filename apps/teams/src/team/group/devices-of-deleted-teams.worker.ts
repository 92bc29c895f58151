import type { Sql } from '@carillon/event-store';
import { type Cause, RowBatches } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

interface Command {
  readonly teamId: string;
}

/** Deletes the devices in the groups of deleted teams. Nobody finds these groups any more. */
@Injectable()
export class DevicesOfDeletedTeams extends RowBatches<Command> {
  readonly name = 'devices_of_deleted_teams';
  protected readonly process = 'teams.devices_of_deleted_teams';
  protected readonly changes = [
    { due: 'group_devices WHERE team_id = $1', change: 'DELETE FROM group_devices' },
  ];

  async remove(sql: Sql, teamId: string, from: Cause): Promise<void> {
    await this.begin(sql, { key: teamId, command: { teamId }, from });
  }

  protected valuesOf({ teamId }: Command): readonly unknown[] {
    return [teamId];
  }
}
