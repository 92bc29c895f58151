import { membershipTables } from '@carillon/membership';

/** The statements of a migration that creates the tables of the projection `web_app_views`. */
export const webAppViewTables: readonly string[] = [
  `CREATE TABLE web_app_views (
     app_id text PRIMARY KEY,
     added_by text NOT NULL,
     team_id text,
     name text,
     origin text,
     icon_url text
   )`,
  ...membershipTables({ teams: 'web_app_teams', members: 'web_app_members' }),
];
