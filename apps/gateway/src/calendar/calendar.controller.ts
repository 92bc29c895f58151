import { Bus } from '@carillon/bus';
import { Calendars } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { secret } from '@carillon/runtime';
import { hashSecret, looksLikeSecret } from '@carillon/signing';
import { Controller, Get, Header, Inject, Req } from '@nestjs/common';
import { Carries } from '../request/carries';
import { systemContext } from '../request/context';
import type { HttpRequest, Row } from '../request/row';

/** The secret in the path is the credential: calendar programs support no other. */
export const calendarRow: Row = {
  method: 'GET',
  path: '/calendar/:file',
  access: 'public',
  scopes: [],
  rate: 'public',
};

const timeoutMs = 10_000;

/**
 * Serves shifts to calendar programs. The path holds a secret: it must not be logged, and only its hash is passed on.
 */
@Controller()
export class CalendarController {
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  @Get(calendarRow.path)
  @Header('content-type', 'text/calendar; charset=utf-8')
  @Header('content-disposition', 'inline; filename="on-call.ics"')
  @Carries(calendarRow)
  async read(@Req() http: HttpRequest): Promise<string> {
    const presented = /^(.*)\.ics$/.exec(http.params['file'] ?? '')?.[1];
    if (!looksLikeSecret(presented, 'carillon_cal_')) throw new Refused('calendar.unknown');
    const asked = systemContext('gateway.calendar', timeoutMs, http);
    return (await this.bus.ask(Calendars.read, { hash: hashSecret(this.pepper, presented) }, asked)).value
      .text;
  }
}
