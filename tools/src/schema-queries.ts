// The queries of schema-picture.ts on the catalogues. `$1` is the list of schemas. Objects of extensions
// are left out; names are compared byte by byte, whatever the database's locale is.

/** True when `oid` belongs to an extension. */
const belongsToExtension = (catalogue: string, oid: string) => `exists (
  select from pg_catalog.pg_depend e where e.classid = '${catalogue}'::regclass
    and e.objid = ${oid} and e.deptype = 'e')`;

const qualifiedName = (relation: string) => `pg_catalog.format('%I.%I', n.nspname, ${relation})`;

/** Grants as JSON, by grantee, without the owner's own rights. */
const grantsAsJson = (acl: string, owner: string, columns = 'null::text') => `(
  select pg_catalog.json_agg(g order by g.grantee collate "C") from (
    select case when x.grantee = 0 then 'public' else pg_catalog.quote_ident(r.rolname) end as grantee,
      pg_catalog.array_agg(x.privilege_type order by x.privilege_type collate "C") as privileges,
      ${columns} as columns
    from pg_catalog.aclexplode(${acl}) x left join pg_catalog.pg_roles r on r.oid = x.grantee
    where x.grantee <> ${owner} group by 1) g)`;

export const columnQuery = `
  select ${qualifiedName('c.relname')} as table, pg_catalog.quote_ident(a.attname) as name,
    pg_catalog.format_type(a.atttypid, a.atttypmod) as type,
    (select pg_catalog.format('%I.%I', cn.nspname, co.collname)
      from pg_catalog.pg_collation co join pg_catalog.pg_namespace cn on cn.oid = co.collnamespace
      join pg_catalog.pg_type t on t.oid = a.atttypid
      where co.oid = a.attcollation and a.attcollation <> t.typcollation) as collation,
    a.attnotnull as required, pg_catalog.pg_get_expr(d.adbin, d.adrelid) as value,
    a.attidentity as identity, a.attgenerated as generated
  from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where n.nspname = any($1) and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
  order by n.nspname collate "C", c.relname collate "C", a.attnum`;

export const queries = {
  schemas: `
    select pg_catalog.format('create schema if not exists %I;', nspname) as text
    from pg_catalog.pg_namespace where nspname = any($1) order by nspname collate "C"`,

  extensions: `
    select pg_catalog.format('create extension if not exists %I with schema %I;', extname, n.nspname)
      as text
    from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
    where n.nspname = any($1) order by extname collate "C"`,

  types: `
    select case t.typtype
      when 'e' then pg_catalog.format('create type %s as enum (%s);', ${qualifiedName('t.typname')},
        (select pg_catalog.string_agg(pg_catalog.quote_literal(l.enumlabel), ', '
          order by l.enumsortorder) from pg_catalog.pg_enum l where l.enumtypid = t.oid))
      when 'd' then pg_catalog.format('create domain %s as %s%s%s%s;', ${qualifiedName('t.typname')},
        pg_catalog.format_type(t.typbasetype, t.typtypmod), ' default ' || t.typdefault,
        case when t.typnotnull then ' not null' end,
        (select pg_catalog.string_agg(pg_catalog.format(' constraint %I %s', k.conname,
            pg_catalog.pg_get_constraintdef(k.oid)), '' order by k.conname collate "C")
          from pg_catalog.pg_constraint k where k.contypid = t.oid and k.contype = 'c'))
      else pg_catalog.format('create type %s as (%s);', ${qualifiedName('t.typname')},
        (select pg_catalog.string_agg(pg_catalog.format('%I %s', a.attname,
            pg_catalog.format_type(a.atttypid, a.atttypmod)), ', ' order by a.attnum)
          from pg_catalog.pg_attribute a
          where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped))
      end as text
    from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
      left join pg_catalog.pg_class c on c.oid = t.typrelid
    where n.nspname = any($1) and (t.typtype in ('e', 'd') or c.relkind = 'c')
      and not ${belongsToExtension('pg_catalog.pg_type', 't.oid')}
    order by n.nspname collate "C", t.typname collate "C"`,

  sequences: `
    select pg_catalog.format(
      'create sequence %s as %s start %s increment %s minvalue %s maxvalue %s%s;',
      ${qualifiedName('c.relname')}, pg_catalog.format_type(s.seqtypid, null), s.seqstart, s.seqincrement,
      s.seqmin, s.seqmax, case when s.seqcycle then ' cycle' end) as text
    from pg_catalog.pg_sequence s join pg_catalog.pg_class c on c.oid = s.seqrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any($1) and not exists (select from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and d.deptype in ('i', 'e'))
    order by n.nspname collate "C", c.relname collate "C"`,

  functions: `
    select pg_catalog.rtrim(pg_catalog.pg_get_functiondef(p.oid), E'\\n') || ';' as text
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = any($1) and p.prokind in ('f', 'p')
      and not ${belongsToExtension('pg_catalog.pg_proc', 'p.oid')}
    order by n.nspname collate "C", p.proname collate "C",
      pg_catalog.pg_get_function_identity_arguments(p.oid) collate "C"`,

  tables: `
    select ${qualifiedName('c.relname')} as name, c.relkind as kind, c.relrowsecurity as secured,
      c.relforcerowsecurity as forced, c.reloptions as options,
      (select pg_catalog.format('%I.%I', pn.nspname, pc.relname) from pg_catalog.pg_inherits i
        join pg_catalog.pg_class pc on pc.oid = i.inhparent
        join pg_catalog.pg_namespace pn on pn.oid = pc.relnamespace
        where i.inhrelid = c.oid) as parent,
      pg_catalog.pg_get_expr(c.relpartbound, c.oid) as bound,
      case when c.relkind = 'p' then pg_catalog.pg_get_partkeydef(c.oid) end as partition,
      case when c.relkind in ('v', 'm') then pg_catalog.pg_get_viewdef(c.oid) end as definition
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any($1) and c.relkind in ('r', 'p', 'v', 'm')
      and not ${belongsToExtension('pg_catalog.pg_class', 'c.oid')}
    order by n.nspname collate "C", c.relname collate "C"`,

  // Leaves out the not-null constraints, which PostgreSQL 18 lists too: the columns show them.
  constraints: `
    select ${qualifiedName('c.relname')} as table, pg_catalog.quote_ident(k.conname) as name,
      pg_catalog.pg_get_constraintdef(k.oid) as definition, k.contype = 'f' as foreign
    from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any($1) and k.contype in ('p', 'u', 'c', 'x', 'f') and k.coninhcount = 0
      and k.conparentid = 0
    order by n.nspname collate "C", c.relname collate "C",
      pg_catalog.strpos('pucxf', k.contype::text), k.conname collate "C"`,

  indexes: `
    select pg_catalog.pg_get_indexdef(i.indexrelid) || ';' as text
    from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid
      join pg_catalog.pg_class t on t.oid = i.indrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any($1) and not c.relispartition
      and not exists (select from pg_catalog.pg_constraint k where k.conindid = i.indexrelid
        and k.contype in ('p', 'u', 'x'))
    order by n.nspname collate "C", t.relname collate "C", c.relname collate "C"`,

  triggers: `
    select pg_catalog.pg_get_triggerdef(t.oid) || ';' as text
    from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any($1) and not t.tgisinternal and t.tgparentid = 0
    order by n.nspname collate "C", c.relname collate "C", t.tgname collate "C"`,

  policies: `
    select pg_catalog.format('create policy %I on %s%s for %s to %s%s%s;', p.polname,
      ${qualifiedName('c.relname')}, case when not p.polpermissive then ' as restrictive' end,
      case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update'
        when 'd' then 'delete' else 'all' end,
      (select pg_catalog.string_agg(case when x = 0 then 'public' else pg_catalog.quote_ident(
          pg_catalog.pg_get_userbyid(x)) end, ', ' order by x) from pg_catalog.unnest(p.polroles) x),
      ' using (' || pg_catalog.pg_get_expr(p.polqual, p.polrelid) || ')',
      ' with check (' || pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) || ')') as text
    from pg_catalog.pg_policy p join pg_catalog.pg_class c on c.oid = p.polrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any($1)
    order by n.nspname collate "C", c.relname collate "C", p.polname collate "C"`,

  grants: `
    select object, grants, open as "isOpen" from (
      select pg_catalog.format('schema %I', n.nspname) as object, 0 as kind, null::bool as open,
        ${grantsAsJson('n.nspacl', 'n.nspowner')} as grants
      from pg_catalog.pg_namespace n where n.nspname = any($1)
      union all
      select pg_catalog.format('function %s(%s)', ${qualifiedName('p.proname')},
        pg_catalog.pg_get_function_identity_arguments(p.oid)), 1, p.proacl is null or exists (
          select from pg_catalog.aclexplode(p.proacl) a where a.grantee = 0),
        ${grantsAsJson('p.proacl', 'p.proowner')}
      from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
      where n.nspname = any($1) and p.prokind = 'f' and not ${belongsToExtension('pg_catalog.pg_proc', 'p.oid')}
      union all
      select pg_catalog.format('%s %s', case c.relkind when 'S' then 'sequence' else 'table' end,
        ${qualifiedName('c.relname')}), 2, null, ${grantsAsJson('c.relacl', 'c.relowner')}
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any($1) and c.relkind in ('r', 'p', 'v', 'm', 'S')
        and not ${belongsToExtension('pg_catalog.pg_class', 'c.oid')}
      union all
      select pg_catalog.format('table %s', ${qualifiedName('c.relname')}), 3, null,
        ${grantsAsJson('a.attacl', 'c.relowner', 'pg_catalog.quote_ident(a.attname::text)')}
      from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any($1) and a.attacl is not null and a.attnum > 0 and not a.attisdropped
    ) g where grants is not null or open = false
    order by kind, object collate "C", grants::text collate "C"`,

  comments: `
    select pg_catalog.format('comment on table %s is %L;', ${qualifiedName('c.relname')}, d.description) as text
    from pg_catalog.pg_description d join pg_catalog.pg_class c on c.oid = d.objoid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any($1) and d.classoid = 'pg_catalog.pg_class'::regclass and d.objsubid = 0
      and c.relkind in ('r', 'p')
    union all
    select pg_catalog.format('comment on column %s.%I is %L;', ${qualifiedName('c.relname')}, a.attname,
      d.description)
    from pg_catalog.pg_description d join pg_catalog.pg_class c on c.oid = d.objoid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid
    where n.nspname = any($1) and d.classoid = 'pg_catalog.pg_class'::regclass and d.objsubid > 0
    order by 1`,
};
