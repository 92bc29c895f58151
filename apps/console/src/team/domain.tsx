import type { SessionSchemas } from '@carillon/client';
import { api } from '../api/api';
import { Act } from '../parts/act';
import { Field, Form, textOf } from '../parts/form';

type Team = SessionSchemas['schemas']['Team'];

/** The e-mail domain of a workplace team, and what proves it. */
export function Domain({ team, changed }: { team: Team; changed: () => void }) {
  const params = { path: { id: team.id } };
  const { verifiedDomain, pendingDomain, domainVerification: proof } = team;
  const name = async (form: FormData): Promise<void> => {
    await api.post('/teams/{id}/domain', { params, body: { domain: textOf(form, 'domain').trim() } });
    changed();
  };
  const verify = async (): Promise<void> => {
    await api.post('/teams/{id}/domain/verify', { params });
    changed();
  };
  const clear = async (): Promise<void> => {
    await api.delete('/teams/{id}/domain', { params });
    changed();
  };
  return (
    <section aria-labelledby="domain">
      <h2 id="domain">Domain</h2>
      <p>{verifiedDomain === null ? 'No domain is proved.' : `${verifiedDomain} is proved.`}</p>
      {pendingDomain !== null && proof && (
        <>
          <p>
            To prove {pendingDomain}, add a TXT record <code>{proof.value}</code> at <code>{proof.host}</code>
            .
          </p>
          <Act act={verify}>Look for the record</Act>
        </>
      )}
      {(verifiedDomain ?? pendingDomain) !== null && (
        <Act act={clear} sure="Take the domain off? Nobody joins by it any more.">
          Take the domain off
        </Act>
      )}
      <Form key={pendingDomain} label="Domain" submit="Name the domain" send={name}>
        <Field label="Domain of your addresses" name="domain" hint="Such as acme.com." />
      </Form>
    </section>
  );
}
