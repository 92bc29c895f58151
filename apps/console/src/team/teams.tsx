import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { Field, Form, textOf } from '../parts/form';
import { List } from '../parts/more';
import { Page } from '../parts/page';

export default function Teams() {
  const version = useSignal(0);
  const create = async (form: FormData): Promise<void> => {
    await api.post('/teams', { body: { kind: 'family', name: textOf(form, 'name') } });
    version.value += 1;
  };
  return (
    <Page title="Teams">
      <List
        name={`teams ${version.value}`}
        empty="You are in no family or team."
        keyOf={({ id }) => id}
        load={async (cursor?: string) => {
          const { teams, nextCursor } = await api.get('/teams', { params: { query: { cursor } } });
          return { items: teams, next: nextCursor };
        }}
      >
        {(team) => (
          <p>
            <a href={`/console/teams/${team.id}`}>{team.name}</a>
            <span class="faint">
              {' '}
              · {team.kind ?? 'team'} of {team.memberCount} · you are {team.role}
            </span>
          </p>
        )}
      </List>
      <section aria-labelledby="new-family">
        <h2 id="new-family">New family</h2>
        <Form key={version.value} label="New family" submit="Create" send={create}>
          <Field label="Name" name="name" />
        </Form>
      </section>
    </Page>
  );
}
