import { Act } from '../parts/act';
import { signInWithPasskey } from './passkey';

/** A button to sign in with a passkey, where the browser has them. */
export function UsePasskey({ done }: { done?: () => void }) {
  if (!('PublicKeyCredential' in window)) return null;
  const use = async (): Promise<void> => {
    await signInWithPasskey();
    done?.();
  };
  return <Act act={use}>Use a passkey</Act>;
}
