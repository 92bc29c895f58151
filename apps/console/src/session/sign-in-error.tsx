import { signal } from '@preact/signals';

const sentences: Readonly<Record<string, string>> = {
  SIGN_IN_EXPIRED: 'The sign-in took too long, or was begun in another tab or browser. Try again.',
  PROVIDER_UNAVAILABLE: 'The provider did not answer. Try again in a while.',
  PROVIDER_REFUSED: 'The provider did not sign you in.',
  LOGIN_FAILED: 'The answer of the provider was not accepted. If it happens again, tell your operator.',
  EMAIL_UNVERIFIED: 'The provider does not say that your address is verified. Verify it there first.',
  EMAIL_TAKEN:
    'An account has your address already. Sign in to it in another way, and link the provider on the page of your sign-in methods.',
  IDENTITY_TAKEN: 'This identity signs in to another account. Unlink it there first.',
  PROVIDER_LINKED: 'The account has an identity of this provider already. Unlink it first.',
  SIGNUP_CLOSED:
    'No account has this identity, and this installation makes none for it. With an account, link it on the page of your sign-in methods.',
  ACCOUNT_SUSPENDED: 'The account is suspended.',
  HUMAN_SESSION_REQUIRED: 'You were not signed in any more. Sign in, and link the identity again.',
  NOT_FOUND: 'There is no such provider here.',
  RATE_LIMITED: 'Too many failed attempts. Try again later.',
};

const parameter = 'signInError';
const code = signal(new URLSearchParams(location.search).get(parameter));
// It is told once: not again when the page is loaded again.
if (code.peek() !== null) history.replaceState(null, '', location.pathname);

/** Why a sign-in with a provider has led back here. */
export function SignInError() {
  if (code.value === null) return null;
  return (
    <div class="problem" role="alert">
      <p>{sentences[code.value] ?? 'The sign-in did not work. Try again.'}</p>
      <button type="button" onClick={() => (code.value = null)}>
        Close
      </button>
    </div>
  );
}
