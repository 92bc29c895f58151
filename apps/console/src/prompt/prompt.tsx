import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api, codeOf } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Field, Form, textOf } from '../parts/form';
import { Outward } from '../parts/outward';
import { Page } from '../parts/page';
import { Problem, Shown } from '../parts/state';
import { moment } from '../parts/time';
import { account } from '../session/session';
import { onTold } from '../stream/stream';
import { Told } from './told';

type Asked = SessionSchemas['schemas']['SessionInteraction'];

export default function Prompt({ id }: { id: string }) {
  const loaded = useLoaded(id, async () => {
    const { interaction } = await api.get('/prompts/{id}', { params: { path: { id } } });
    return interaction;
  });
  useEffect(
    () => onTold(({ topic, promptId }) => (topic === 'reset' || promptId === id) && loaded.reload()),
    [id],
  );
  return (
    <Page title={loaded.data?.title ?? 'Question'}>
      <Shown of={loaded}>{(asked) => <Question key={id} asked={asked} reload={loaded.reload} />}</Shown>
    </Page>
  );
}

interface QuestionProps {
  /** As the server has it now. */
  readonly asked: Asked;
  readonly reload: () => void;
}

/** Shows what was read first until the person agrees to read it again: they answer what they have seen. */
function Question({ asked, reload }: QuestionProps) {
  const shown = useSignal(asked);
  const failure = useSignal<unknown>(undefined);
  /** The answer that came too late. */
  const lost = useSignal<string | undefined>(undefined);
  const isUnderWay = useRef(false);
  const hasChanged = asked.actionDigest !== shown.value.actionDigest;
  const current = hasChanged ? shown.value : asked;
  const answer = async (text: string): Promise<void> => {
    failure.value = undefined;
    try {
      const body = { answer: text, actionDigest: shown.value.actionDigest };
      await api.post('/prompts/{id}/answer', { params: { path: { id: asked.id } }, body });
    } catch (error) {
      if (codeOf(error) !== 'INTERACTION_NOT_PENDING') throw error;
      lost.value = text;
    } finally {
      reload();
    }
  };
  const press = (text: string): void => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    answer(text)
      .catch((error: unknown) => (failure.value = error))
      .finally(() => (isUnderWay.current = false));
  };
  return (
    <article>
      <p class="faint">
        {current.sourceName} asks · {moment(current.createdAt)}
      </p>
      <p class="text">{current.prompt}</p>
      {current.url && (
        <p>
          <Outward url={current.url} />
        </p>
      )}
      {hasChanged && (
        <div class="problem" role="alert">
          <p>The question has changed since you read it.</p>
          <button type="button" onClick={() => (shown.value = asked)}>
            Read it again
          </button>
        </div>
      )}
      {failure.value !== undefined && <Problem error={failure.value} />}
      {lost.value !== undefined && !isAnswer(asked, lost.value) && asked.status !== 'pending' && (
        <p role="alert" class="problem">
          Your answer came too late.
        </p>
      )}
      {asked.status !== 'pending' ? (
        <>
          <Outcome {...asked} />
          <Told promptId={asked.id} />
        </>
      ) : (
        !hasChanged && <Answers {...current} press={press} answer={answer} />
      )}
    </article>
  );
}

/** Whether it was answered with these words: a repeat of an answer that was taken is not too late. */
const isAnswer = ({ status, response }: Asked, text: string): boolean =>
  status === text || (status === 'replied' && response === text);

interface AnswersProps extends Asked {
  readonly press: (text: string) => void;
  readonly answer: (text: string) => Promise<void>;
}

function Answers({ kind, choices, primaryLabel, secondaryLabel, expiresAt, press, answer }: AnswersProps) {
  const [yes, no] = kind === 'approval' ? ['approved', 'denied'] : ['yes', 'no'];
  const [yesLabel, noLabel] = kind === 'approval' ? ['Approve', 'Deny'] : ['Yes', 'No'];
  return (
    <section aria-label="Answer">
      {kind === 'reply' ? (
        <>
          {choices.length > 0 && (
            <div class="answers">
              {choices.map((choice) => (
                <button key={choice} type="button" onClick={() => press(choice)}>
                  {choice}
                </button>
              ))}
            </div>
          )}
          <Form label="Answer" submit="Send the answer" send={(form) => answer(textOf(form, 'answer'))}>
            <Field label="Your answer" name="answer" rows={3} />
          </Form>
        </>
      ) : (
        <div class="answers">
          <button type="button" class="primary" onClick={() => press(yes)}>
            {primaryLabel ?? yesLabel}
          </button>
          <button type="button" onClick={() => press(no)}>
            {secondaryLabel ?? noLabel}
          </button>
        </div>
      )}
      <p class="faint">Can be answered until {moment(expiresAt)}.</p>
    </section>
  );
}

const ends: Readonly<Record<Asked['status'], string>> = {
  pending: 'Not answered yet.',
  approved: 'Approved',
  denied: 'Denied',
  yes: 'Answered “yes”',
  no: 'Answered “no”',
  replied: 'Answered',
  canceled: 'Canceled by the sender',
  expired: 'Expired without an answer',
};

function Outcome({ status, kind, response, respondingUserId, respondingDeviceId, ...asked }: Asked) {
  const { respondingUserName: person, respondingDeviceName: device } = asked;
  const at = asked.respondedAt ?? asked.canceledAt ?? (status === 'expired' ? asked.expiresAt : null);
  const isOwn = respondingUserId === account.value?.id;
  return (
    <section aria-label="Outcome">
      <p class="outcome" role="status">
        {ends[status]}
        {respondingUserId !== null && ` by ${isOwn ? 'you' : (person ?? 'another person')}`}
        {respondingUserId !== null &&
          (device ? ` on ${device}` : respondingDeviceId === null ? ' in a browser' : '')}
        {at && `, ${moment(at)}`}
      </p>
      {kind === 'reply' && response !== null && <blockquote class="text">{response}</blockquote>}
    </section>
  );
}
