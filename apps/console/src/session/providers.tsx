import { api } from '../api/api';
import { type Loaded, useLoaded } from '../api/loaded';

interface Provider {
  readonly id: string;
  readonly name: string;
}

/** The OpenID Connect providers that the operator has configured. */
export const useProviders = (): Loaded<readonly Provider[]> =>
  useLoaded('providers', async (signal) => (await api.get('/login/oidc', { signal })).providers);

/** Where a person was who signs in with a provider, which leads back to the inbox. */
const place = 'carillon-place';

/** Gives this place once. */
export function takePlace(): string | null {
  const left = sessionStorage.getItem(place);
  sessionStorage.removeItem(place);
  return left;
}

/** Links to sign in with other providers. Where there are none, or they cannot be loaded, nothing is shown. */
export function Providers() {
  const { data: providers = [] } = useProviders();
  return (
    <>
      {providers.map(({ id, name }) => (
        <a
          key={id}
          class="button"
          href={`/api/session/login/oidc/${id}`}
          onClick={() => sessionStorage.setItem(place, location.pathname)}
        >
          Sign in with {name}
        </a>
      ))}
    </>
  );
}
