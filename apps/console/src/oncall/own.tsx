import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Act } from '../parts/act';
import { Page } from '../parts/page';
import { Secret } from '../parts/secret';
import { Empty, Shown } from '../parts/state';
import { moment } from '../parts/time';
import { useReloadOn } from '../stream/reload';

type Schemas = SessionSchemas['schemas'];

/** When the person is on call in any group, open pages that have notified them, and the calendar of their shifts. */
export default function OwnDuty() {
  const loaded = useLoaded('own duty', () => api.get('/oncall/me'));
  useReloadOn(({ topic }) => topic === 'pages' || topic === 'reset', loaded.reload);
  return (
    <Page title="On call">
      <Shown of={loaded}>
        {({ shifts, pages }) => (
          <>
            <section aria-labelledby="own-shifts">
              <h2 id="own-shifts">Your shifts</h2>
              {shifts.length === 0 && <Empty>You are on call in no group within 60 days.</Empty>}
              <ul class="cards">
                {shifts.map((shift) => (
                  <li key={`${shift.groupId} ${shift.startsAt}`}>
                    <Shift {...shift} />
                  </li>
                ))}
              </ul>
            </section>
            <section aria-labelledby="own-pages">
              <h2 id="own-pages">Open pages</h2>
              {pages.length === 0 && <Empty>No open page has notified you.</Empty>}
              <ul class="cards">
                {pages.map(({ id, title, status, groupName, createdAt }) => (
                  <li key={id}>
                    <p>
                      <a href={`/console/pages/${id}`}>{title}</a> <span class="state">{status}</span>
                      <span class="faint">
                        {' '}
                        {groupName} · {moment(createdAt)}
                      </span>
                    </p>
                  </li>
                ))}
              </ul>
            </section>
          </>
        )}
      </Shown>
      <Calendar />
    </Page>
  );
}

const Shift = ({ groupId, groupName, startsAt, endsAt, override }: Schemas['OncallOwnShift']) => (
  <p>
    <a href={`/console/oncall/${groupId}`}>{groupName}</a>{' '}
    {Date.parse(startsAt) <= Date.now() && <span class="state waiting">now</span>}
    {override && <span class="state">override</span>}
    <span class="faint">
      {' '}
      {moment(startsAt)} to {moment(endsAt)}
    </span>
  </p>
);

function Calendar() {
  const url = useSignal<string | undefined>(undefined);
  const isClosed = useSignal(false);
  const open = async (): Promise<void> => {
    isClosed.value = false;
    url.value = (await api.post('/oncall/me/calendar')).url;
  };
  const close = async (): Promise<void> => {
    url.value = undefined;
    isClosed.value = false;
    await api.delete('/oncall/me/calendar');
    isClosed.value = true;
  };
  return (
    <section aria-labelledby="calendar">
      <h2 id="calendar">In your calendar</h2>
      <p class="faint">A calendar program reads your shifts from an address of its own.</p>
      {url.value !== undefined && (
        <Secret label="The address of your calendar" value={url.value} hide={() => (url.value = undefined)} />
      )}
      {isClosed.value && <p role="status">No address reads your shifts any more.</p>}
      <div class="actions">
        <Act act={open} sure="Make a new address? The one before stops working.">
          New address
        </Act>
        <Act act={close} sure="Take the address away? Calendar programs read your shifts no more.">
          Take the address away
        </Act>
      </div>
    </section>
  );
}
