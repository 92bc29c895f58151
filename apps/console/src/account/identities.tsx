import type { SessionSchemas } from '@carillon/client';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Act } from '../parts/act';
import { Empty, Shown } from '../parts/state';
import { moment } from '../parts/time';
import { useProviders } from '../session/providers';
import type { SectionProps } from './section';

type Identity = SessionSchemas['schemas']['LinkedIdentity'];

/** Lists, links and unlinks identities of other providers. */
export function Identities({ recently }: Pick<SectionProps, 'recently'>) {
  const { data: providers = [] } = useProviders();
  const loaded = useLoaded(
    'identities',
    async (signal) => (await api.get('/identities', { signal })).identities,
  );
  const isShown = providers.length > 0 || (loaded.data ?? []).length > 0;
  if (!isShown) return null;
  const link = (provider: string) => (): Promise<void> =>
    recently(async () => {
      const { redirectTo } = await api.post('/identities/{provider}', { params: { path: { provider } } });
      location.assign(redirectTo);
    });
  const unlink = (provider: string) => (): Promise<void> =>
    recently(async () => {
      await api.delete('/identities/{provider}', { params: { path: { provider } } });
      loaded.reload();
    });
  const nameOf = (id: string): string => providers.find((each) => each.id === id)?.name ?? id;
  return (
    <section aria-labelledby="identities">
      <h2 id="identities">Other providers</h2>
      <Shown of={loaded}>
        {(identities) => (
          <>
            {identities.length === 0 && <Empty>No identity yet.</Empty>}
            <ul class="cards">
              {identities.map((each) => (
                <li key={each.provider}>
                  <IdentityRow identity={each} name={nameOf(each.provider)} unlink={unlink(each.provider)} />
                </li>
              ))}
            </ul>
            <div class="actions">
              {providers
                .filter(({ id }) => !identities.some(({ provider }) => provider === id))
                .map(({ id, name }) => (
                  <Act key={id} act={link(id)}>
                    Link {name}
                  </Act>
                ))}
            </div>
          </>
        )}
      </Shown>
    </section>
  );
}

interface IdentityRowProps {
  readonly identity: Identity;
  readonly name: string;
  readonly unlink: () => Promise<void>;
}

function IdentityRow({ identity, name, unlink }: IdentityRowProps) {
  return (
    <>
      <p>
        <b>{name}</b> {identity.email ?? identity.subject}
      </p>
      <p class="faint">Linked {moment(identity.linkedAt)}</p>
      <Act act={unlink} sure={`Unlink the identity of ${name}? It signs nobody in any more.`}>
        Unlink
      </Act>
    </>
  );
}
