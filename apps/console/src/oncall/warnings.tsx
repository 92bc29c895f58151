import type { SessionSchemas } from '@carillon/client';
import { moment } from '../parts/time';

/** When nobody is on call, or several people are, in the year to come; nothing where neither is. */
export function Warnings({ of: { gaps, overlaps } }: { of: SessionSchemas['schemas']['OncallWarnings'] }) {
  return (
    <>
      <Warning of={gaps} what="Nobody is on call" />
      <Warning of={overlaps} what="Several people are on call" />
    </>
  );
}

interface WarningProps {
  readonly of: readonly { readonly startsAt: string; readonly endsAt: string }[];
  readonly what: string;
}

function Warning({ of: [first, ...others], what }: WarningProps) {
  if (!first) return null;
  return (
    <p class="problem">
      {what} from {moment(first.startsAt)} to {moment(first.endsAt)}
      {others.length > 0 && `, and ${others.length} more times`}.
    </p>
  );
}
