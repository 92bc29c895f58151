import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Shown } from '../parts/state';
import { type Preview, PreviewedForm } from './preview';
import { rotationOf, Turns } from './turns';

type Schemas = SessionSchemas['schemas'];
type Group = Schemas['OncallGroup'];

interface RotationProps {
  readonly group: Group;
  readonly preview: Preview;
  readonly changed: () => void;
}

/** Loaded when somebody looks. Only an owner or admin of the team can save it. */
export function Rotation(props: RotationProps) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>Change the rotation</summary>
      {isOpen.value && <Change {...props} />}
    </details>
  );
}

function Change({ group, preview, changed }: RotationProps) {
  const team = useLoaded(group.teamId, () =>
    api.get('/teams/{id}', { params: { path: { id: group.teamId } } }),
  );
  const save = async ({ rotation: wanted }: Schemas['SimulateOncall']): Promise<void> => {
    const params = { path: { groupId: group.id } };
    await api.patch('/oncall/{groupId}', { params, body: { rotation: wanted } });
    changed();
  };
  const changeOf = (form: FormData) => ({ rotation: rotationOf(form) });
  return (
    <Shown of={team}>
      {({ members }) => (
        <PreviewedForm
          key={group.updatedAt}
          kind="rotation"
          label="Change the rotation"
          submit="Save the rotation"
          {...{ preview, changeOf, save }}
        >
          <Turns members={members} rotation={group.rotation} />
        </PreviewedForm>
      )}
    </Shown>
  );
}
