import type { TableDialect } from './schema.ts'

/** The tables of counts of calls, and of what happened meanwhile. Times are in milliseconds since 1970. */
export const createUsageTables = ({
  key,
  bigint,
  boolean,
  options,
  numberOptions,
}: TableDialect) => `
  -- Calls of third parties, added up over all processes.
  create table usage_count (
    span ${key} not null,         -- minute, hour or day
    start ${bigint} not null,
    operation ${key} not null,
    tier ${key} not null,
    is_authenticated ${boolean} not null,
    status integer not null,
    rejection ${key} not null,    -- the limit that they were over; or empty
    third_party ${key} not null,  -- or empty
    is_present ${boolean} not null, -- the customer
    calls ${bigint} not null,
    microseconds ${bigint} not null, -- the sum of the response times
    within_10 ${bigint} not null, -- how many took at most 10 % of the response time of the tier
    within_25 ${bigint} not null,
    within_50 ${bigint} not null,
    within_100 ${bigint} not null,
    within_200 ${bigint} not null,
    primary key (span, start, operation, tier, status, rejection, third_party, is_present)
  )${options};

  -- The calls of the last hours, to find the second with most of all processes.
  create table usage_second (
    second ${bigint} primary key, -- since 1970
    authenticated ${bigint} not null,
    unauthenticated ${bigint} not null
  )${options};

  -- A minute has a row if a process was running. The other columns are those of hours and days.
  create table usage_period (
    span ${key} not null,
    start ${bigint} not null,
    peak ${bigint} not null,      -- the most calls in a second
    peak_authenticated ${bigint} not null,
    peak_unauthenticated ${bigint} not null,
    minutes integer,              -- that are over, without planned outages; null: not counted yet
    available integer,            -- how many of them the platform was available in
    available_authenticated integer,
    available_unauthenticated integer,
    primary key (span, start)
  )${options};

  -- The last batch of counts that each process has added.
  create table usage_writer (
    id ${key} primary key,
    batch ${bigint} not null,
    time ${bigint} not null
  )${options};

  -- The last loads, of each of which several transactions may have been committed.
  create table recent_load (
    time ${bigint} primary key,   -- of the load, which identifies it
    committed ${bigint} not null,
    created ${bigint} not null,   -- numbers of lines
    changed ${bigint} not null,
    unchanged ${bigint} not null,
    deleted ${bigint} not null
  )${numberOptions};

  -- The last starts of servers.
  create table recent_start (
    minute ${bigint} not null,
    role ${key} not null,
    processes integer not null,   -- that were started in this minute
    version text not null,
    primary key (minute, role)
  )${options};
`
