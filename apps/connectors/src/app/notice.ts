import type { SendNotification } from '@carillon/contracts';
import type { App } from './app';
import type { AppTeam } from './app-team';

/** The notification of members about an app that was moved into their team. */
export const noticeOf = (
  { id, name }: Pick<App, 'id' | 'name'>,
  team: Pick<AppTeam, 'name'>,
): SendNotification => ({
  title: `New app: ${name}`,
  body: `${name} is now an app of ${team.name}. It is told nothing of you until you open it and agree.`,
  appId: id,
});
