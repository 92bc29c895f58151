import type { SessionSchemas } from '@carillon/client';
import { ApiError, ConnectionError } from '@carillon/client';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Act } from '../parts/act';
import { List } from '../parts/more';
import { Page } from '../parts/page';
import { Problem, Shown } from '../parts/state';
import { moment } from '../parts/time';
import { abilities, obstacleOf, refusalOf } from './obstacle';
import { Ring } from './ring';
import { isThisBrowser, onShown, ringHere, rings, silenceHere } from './subscription';

type Device = SessionSchemas['schemas']['Device'];

const platforms = { ios: 'iPhone or iPad', android: 'Android', web: 'browser' } as const;

export default function Devices() {
  const version = useSignal(0);
  const shownHere = useSignal<ReadonlySet<string>>(new Set());
  useEffect(() => onShown((tag) => (shownHere.value = new Set([...shownHere.value, tag]))), []);
  return (
    <Page title="Devices">
      <ThisBrowser changed={() => (version.value += 1)} />
      <section aria-labelledby="all-devices">
        <h2 id="all-devices">All devices</h2>
        <List
          name={`devices ${version.value}`}
          reloadOn={({ topic }) => topic === 'devices' || topic === 'reset'}
          empty="No device yet. Nothing can ring you."
          keyOf={({ id }) => id}
          load={async (cursor?: string) => {
            const { devices, nextCursor } = await api.get('/devices', { params: { query: { cursor } } });
            return { items: devices, next: nextCursor };
          }}
        >
          {(device, changed) => <OneDevice device={device} shownHere={shownHere} changed={changed} />}
        </List>
      </section>
    </Page>
  );
}

interface OneDeviceProps {
  readonly device: Device;
  readonly shownHere: ReadonlySignal<ReadonlySet<string>>;
  readonly changed: () => void;
}

function OneDevice({ device, shownHere, changed }: OneDeviceProps) {
  const name = device.deviceName ?? platforms[device.platform];
  const remove = async (): Promise<void> => {
    await api.delete('/devices/{id}', { params: { path: { id: device.id } } });
    changed();
  };
  return (
    <>
      <p>
        <b>{name}</b> {isThisBrowser(device.id) && <span class="state">this browser</span>}{' '}
        {!device.active && <span class="state">does not ring any more</span>}
      </p>
      <p class="faint">
        {platforms[device.platform]} · last seen {moment(device.lastSeenAt)}
      </p>
      {device.active ? (
        <Ring deviceId={device.id} shownHere={shownHere} />
      ) : (
        <p class="faint">Open Carillon there, and it rings again.</p>
      )}
      <Act act={remove} sure={`Take “${name}” away? It rings no more.`}>
        Take away
      </Act>
    </>
  );
}

function ThisBrowser({ changed }: { changed: () => void }) {
  const key = useLoaded('push key', () => api.get('/push/key'));
  const state = useSignal<'unknown' | 'rings' | 'silent'>('unknown');
  const failure = useSignal<unknown>(undefined);
  useEffect(() => {
    rings()
      .then((does) => (state.value = does ? 'rings' : 'silent'))
      .catch(() => (state.value = 'silent'));
  }, []);
  const run = (work: Promise<unknown>, then: 'rings' | 'silent'): void => {
    failure.value = undefined;
    work
      .then(() => {
        state.value = then;
        changed();
      })
      .catch((error: unknown) => (failure.value = error));
  };
  const obstacle = obstacleOf(abilities());
  const isOurs = failure.value instanceof ApiError || failure.value instanceof ConnectionError;
  return (
    <section aria-labelledby="this-browser">
      <h2 id="this-browser">This browser</h2>
      <Shown of={key}>
        {(server) =>
          server.key === null ? (
            <p>It cannot ring: the operator of this installation has not set up Web Push.</p>
          ) : obstacle ? (
            <p>It cannot ring. {obstacle}</p>
          ) : state.value === 'rings' ? (
            <>
              <p role="status">It rings.</p>
              <button type="button" onClick={() => run(silenceHere(), 'silent')}>
                Stop ringing this browser
              </button>
            </>
          ) : (
            <>
              <p role="status">It does not ring yet.</p>
              <button type="button" class="primary" onClick={() => run(ringHere(server.key ?? ''), 'rings')}>
                Ring this browser
              </button>
            </>
          )
        }
      </Shown>
      {failure.value !== undefined &&
        (isOurs ? (
          <Problem error={failure.value} />
        ) : (
          <p class="problem" role="alert">
            {refusalOf(failure.value)}
          </p>
        ))}
    </section>
  );
}
