-- Five roles for one Holdfast database, each with the rights that its work needs and no others. Run this as a
-- superuser, connected to the database: once before anything else, and again after each migration by holdfast_owner.
-- Running it again is harmless. How the roles log in is up to you.

do $$
begin
  -- Creates the tables and migrates them to a new version.
  if to_regrole('holdfast_owner') is null then create role holdfast_owner login; end if;
  -- Loads and dumps.
  if to_regrole('holdfast_load') is null then create role holdfast_load login; end if;
  -- Serves the provider: reads customers' data, and records used tokens and what platforms get.
  if to_regrole('holdfast_serve') is null then create role holdfast_serve login; end if;
  -- The platform's side: its signing keys, products and API clients, and nothing of the provider's.
  if to_regrole('holdfast_platform') is null then create role holdfast_platform login; end if;

  -- The intake: loads what API clients send, and verifies their secrets and tokens.
  if to_regrole('holdfast_intake') is null then create role holdfast_intake login; end if;

  execute format('revoke all on database %I from public', current_database());
  execute format(
    'grant connect on database %I to holdfast_owner, holdfast_load, holdfast_serve, holdfast_platform, holdfast_intake',
    current_database());
  -- A load stages its lines in temporary tables.
  execute format('grant temporary on database %I to holdfast_load, holdfast_intake', current_database());
  revoke all on schema public from public;
  grant usage, create on schema public to holdfast_owner;
  grant usage on schema public to holdfast_load, holdfast_serve, holdfast_platform, holdfast_intake;

  if to_regclass('public.schema_version') is null then return; end if;

  -- Rights are granted table by table: a table that no line below names can be used by its owner alone.
  revoke all on all tables in schema public
    from public, holdfast_load, holdfast_serve, holdfast_platform, holdfast_intake;
  revoke all on all sequences in schema public
    from public, holdfast_load, holdfast_serve, holdfast_platform, holdfast_intake;

  grant select on schema_version to holdfast_load, holdfast_serve, holdfast_platform, holdfast_intake;

  -- Ids of customers and versions of products are kept for ever.
  grant select, insert, update on customer to holdfast_load, holdfast_intake;
  grant select, insert on product_version to holdfast_load, holdfast_intake, holdfast_platform;
  grant select, insert, update, delete
    on account, holder, balance, contact, entry, restriction, product, product_summary, feed
    to holdfast_load, holdfast_intake;
  grant select, insert, delete on further_email, feed_batch to holdfast_load, holdfast_intake;
  grant insert on correction to holdfast_load, holdfast_intake;
  grant select on correction to holdfast_load;
  grant usage on sequence account_number to holdfast_load, holdfast_intake;
  grant select, insert, update, delete on recent_load to holdfast_load;

  -- Each server records that it was started.
  grant select, insert, update, delete on recent_start
    to holdfast_serve, holdfast_platform, holdfast_intake;

  grant select on customer, further_email, account, holder, balance, contact, entry, restriction to holdfast_serve;
  grant select, insert, update, delete on token_use to holdfast_serve;
  grant select, update on replay_purge to holdfast_serve;
  grant select, insert, delete on provider_record_block, provider_record_key to holdfast_serve;
  grant select, insert, update (retired) on provider_signing_key to holdfast_serve;

  grant select, insert, update on signing_key to holdfast_platform;
  grant select, insert, update, delete
    on product, product_draft, product_summary, api_client, browser_session, artifact, arrangement,
      arrangement_change, account_change, disclosure, passcode, attempt_limit, check_run, consent_flow, outbox,
      usage_count, usage_period, usage_second, usage_writer
    to holdfast_platform;
  grant select, insert, delete
    on idempotency, api_token, third_party, consent_option, record_block, record_key
    to holdfast_platform;
  grant select, insert on consent_secret to holdfast_platform;
  -- For the console.
  grant select on feed, recent_load to holdfast_platform;
  grant select, delete on correction to holdfast_platform;

  grant select on api_client to holdfast_intake;
  grant select, insert, delete on api_token to holdfast_intake;
  -- Tokens are rows of one table. The intake can issue those that its own operations need, for at
  -- most an hour by the clock of the database, and delete expired ones.
  alter table api_token enable row level security;
  drop policy if exists platform on api_token;
  drop policy if exists intake_find on api_token;
  drop policy if exists intake_issue on api_token;
  drop policy if exists intake_purge on api_token;
  create policy platform on api_token to holdfast_platform using (true);
  create policy intake_find on api_token for select to holdfast_intake using (true);
  create policy intake_issue on api_token for insert to holdfast_intake
    with check (string_to_array(scopes, ' ') <@ array['data.write', 'products.write']
      and expires <= (extract(epoch from now()) + 3600) * 1000);
  create policy intake_purge on api_token for delete to holdfast_intake
    using (expires <= extract(epoch from now()) * 1000);

  -- Not in the layout citus. A trigger deletes outdated blocks of the search index, as holdfast_owner.
  if to_regclass('public.entry_texts') is not null then
    grant select, insert on entry_amounts, entry_texts to holdfast_load, holdfast_intake;
    grant select on entry_amounts, entry_texts to holdfast_serve;
  end if;

  -- In the layout citus. Citus grants the same on the shards.
  if to_regclass('public.entry_state') is not null then
    grant select, insert, update, delete
      on entry_state, account_state, merge_line, merge_change, merge_reorder, merge_position, merge_correction
      to holdfast_load, holdfast_intake;
    grant select on entry_state, account_state to holdfast_serve;
  end if;
end $$;
