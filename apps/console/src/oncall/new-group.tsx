import type { SessionSchemas } from '@carillon/client';
import { useLocation } from 'preact-iso';
import { api } from '../api/api';
import { Field, Form, textOf } from '../parts/form';
import { rotationOf, Turns } from './turns';

interface NewGroupProps {
  readonly teamId: string;
  readonly members: readonly SessionSchemas['schemas']['TeamMember'][];
}

/** Makes an on-call group with the usual escalation, and leads to it, where all of it can be changed. */
export function NewOncallGroup({ teamId, members }: NewGroupProps) {
  const { route } = useLocation();
  const create = async (form: FormData): Promise<void> => {
    const body = { name: textOf(form, 'name'), rotation: rotationOf(form) };
    const { id } = await api.post('/teams/{id}/oncall', { params: { path: { id: teamId } }, body });
    route(`/console/oncall/${id}`);
  };
  return (
    <details>
      <summary>New on-call group</summary>
      <Form label="New on-call group" submit="Create the on-call group" send={create}>
        <Field label="Name of the on-call group" name="name" />
        <Turns members={members} />
        <p class="faint">
          A page goes to the next one in turn after 5 minutes, and to everybody after 10 more, until you
          change that.
        </p>
      </Form>
    </details>
  );
}
