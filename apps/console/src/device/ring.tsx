import type { ReadonlySignal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { Act } from '../parts/act';
import { isThisBrowser } from './subscription';

interface RingProps {
  readonly deviceId: string;
  /** The ids of the notifications that the worker of this browser has shown since the page is open. */
  readonly shownHere: ReadonlySignal<ReadonlySet<string>>;
}

/** Sends a test push to one device, and says how far it is known to have come. */
export function Ring({ deviceId, shownHere }: RingProps) {
  const isAsked = useSignal(false);
  const sent = useSignal<{ readonly id: string; readonly accepted: number } | undefined>(undefined);
  const ring = async (): Promise<void> => {
    sent.value = undefined;
    isAsked.value = true;
    try {
      const made = await api.post('/devices/{id}/test', { params: { path: { id: deviceId } } });
      sent.value = { id: made.notification.id, accepted: made.accepted };
    } finally {
      isAsked.value = false;
    }
  };
  const said = isAsked.value
    ? 'It is being rung …'
    : sent.value && comeTo(sent.value, shownHere.value, isThisBrowser(deviceId));
  return (
    <>
      <Act act={ring}>Ring this one</Act>
      <p role="status">{said}</p>
    </>
  );
}

function comeTo(
  { id, accepted }: { readonly id: string; readonly accepted: number },
  shown: ReadonlySet<string>,
  isHere: boolean,
): string {
  if (shown.has(id)) return 'This browser showed it.';
  if (accepted === 0) return 'Its push service has not taken it so far.';
  const taken = 'Its push service has taken it.';
  return isHere ? `${taken} Once this browser has shown it, it is said here.` : taken;
}
