import { isZone } from './time-zone';

describe('a zone', () => {
  it.each([
    'UTC',
    'Europe/Berlin',
    'Asia/Calcutta',
    'US/Eastern',
    'America/Argentina/Buenos_Aires',
    'America/Argentina/Ushuaia',
  ])('is %s', (name) => expect(isZone(name)).toBe(true));
  it.each([
    '+02:00',
    '-05:00',
    '+0200',
    'Europe/Atlantis',
    'Mars/Olympus',
    'Berlin',
    '',
    'UTC+2',
    'Europe/Berlin ',
  ])('is not %j', (name) => expect(isZone(name)).toBe(false));
});
