import { type ActivityProps, type ChangedProps, forgottenProps, type StartProps } from '@carillon/contracts';
import { isAfter, Refused } from '@carillon/eventing';
import { cut } from '@carillon/schema';

/** The provider's 4 KiB less the rest of the payload. */
export const maxPropsBytes = 3072;

const { title: _title, ...nothing } = forgottenProps;

/** Every prop of a new activity. Refuses props that its layout does not have. */
export const begun = ({ title, ...given }: StartProps): ActivityProps => merged({ ...nothing, title }, given);

/**
 * The stored props overridden by the given ones; null resets a prop to its default. A change of the layout drops the
 * props of the old layout, which have no meaning in the new one.
 */
export function merged(stored: ActivityProps, given: ChangedProps): ActivityProps {
  const { layout: givenLayout } = given;
  const layout = givenLayout === undefined ? stored.layout : (givenLayout ?? nothing.layout);
  const whole: Record<string, unknown> = {
    ...stored,
    ...(layout !== 'steps' && { steps: null }),
    ...(layout !== 'terminal' && { lines: null }),
  };
  for (const [name, value] of Object.entries(given) as [keyof ActivityProps, unknown][])
    if (value !== undefined) whole[name] = value ?? nothing[name as keyof typeof nothing];
  const props = whole as unknown as ActivityProps;
  refuseMisfits(props);
  return props;
}

function refuseMisfits({ layout, steps, lines, startedAt, endsAt }: ActivityProps): void {
  const issues = [
    ...(steps && layout !== 'steps' ? [issue('steps', 'needs the layout steps')] : []),
    ...(lines && layout !== 'terminal' ? [issue('lines', 'needs the layout terminal')] : []),
    ...(startedAt && endsAt && !isAfter(endsAt, startedAt)
      ? [issue('endsAt', 'must be after startedAt')]
      : []),
  ];
  if (issues.length > 0) throw new Refused('input.invalid', { issues });
}

const issue = (prop: string, message: string) => ({
  path: `props.${prop}`,
  message,
  code: 'invalid_value',
});

export function refuseTooLarge(props: ActivityProps): void {
  if (bytesOf(props) > maxPropsBytes) throw new Refused('activity.props_too_large', { limit: maxPropsBytes });
}

export const bytesOf = (props: ActivityProps): number => Buffer.byteLength(JSON.stringify(props));

/** The props that show a prompt as an activity. Its links are dropped when they do not fit: the buttons matter more. */
export function askedProps({
  title,
  text,
  imageUrl = null,
  url = null,
}: {
  readonly title: string;
  readonly text: string;
  readonly imageUrl?: string | null;
  readonly url?: string | null;
}): ActivityProps {
  const props: ActivityProps = {
    ...nothing,
    title: cut(title, 100),
    detail: cut(text, 240),
    state: 'waiting',
    imageUrl,
    url,
  };
  if (bytesOf(props) <= maxPropsBytes) return props;
  const withoutImage = { ...props, imageUrl: null };
  return bytesOf(withoutImage) <= maxPropsBytes ? withoutImage : { ...withoutImage, url: null };
}
