import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { type IssuedPass, IssuePass, Passes } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { cell, Clock, metadataOf, secret } from '@carillon/runtime';
import { deriveSecret, hashSecret, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { AppAccess } from '../app/app-access.service';
import { connector, insistOnEnabled, isThere } from '../connector/connector';
import { boundTo, leadsTo } from './admission';
import { Openings } from './openings.service';
import { issuePass, pass, passPrefix, urlWithPass } from './pass';

/** A signed-in person opens an app behind a connector. */
@Controller()
export class PassHandlers {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cell = cell();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AppAccess) private readonly apps: AppAccess,
    @Inject(Openings) private readonly openings: Openings,
  ) {}

  @Handles(Passes.issue)
  async issue({ id, connectorId, route: name }: IssuePass, context: Context): Promise<Answer<IssuedPass>> {
    const [found, { state }] = await Promise.all([
      this.apps.find(id, context),
      this.log.load(connector, streamTail(connectorId)),
    ]);
    const of = isThere(state) && state.id === connectorId ? state : undefined;
    const route = of?.routes.find((each) => each.name === name);
    // The same refusal for all of these: a visitor of an app may have no access to its connector.
    if (!of || !route || !leadsTo({ connector: of, route }, found)) throw new Refused('route_name.not_found');
    insistOnEnabled(of, route);
    const bound = boundTo({ connector: of, route, found });
    if (!bound) throw new Refused('consent.required');

    const at = this.clock.now();
    await this.openings.note({ appId: id, userId: bound.userId, at }, context);
    // Derived, so that a repeat of the command gives the same pass.
    const issued = deriveSecret(this.pepper, passPrefix, this.cell, context.commandId);
    const hash = hashSecret(this.pepper, issued);
    const { state: made, position } = await this.log.transact(
      pass,
      hash,
      issuePass({ hash, bound, at }),
      metadataOf(context),
      { expectNew: !context.again },
    );
    if (!made) throw new Error('The pass that was just issued is missing from the log');
    return answer(
      {
        pass: issued,
        url: urlWithPass(route.url, issued),
        expiresAt: made.until,
      },
      position,
    );
  }
}
