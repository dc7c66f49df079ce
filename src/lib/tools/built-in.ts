import { TOOL_TABLE, type BuiltInToolName } from '../tool-table.ts'
import type { JsonSchema, Subject } from '../message.ts'
import { checkInput } from '../schema/check.ts'
import { tableSchema } from '../schema/json-schema.ts'
import type { FieldTable, Infer } from '../schema/table.ts'
import type { Checked, Tool, ToolCall, ToolResult, ToolSession } from './tool.ts'

type Rows = typeof TOOL_TABLE

/** An input that fits the tool's row, with defaults filled in. */
export type ToolInput<Name extends BuiltInToolName> = Infer<Rows[Name]['input']>

interface Behavior<Name extends BuiltInToolName> extends Pick<
  Tool,
  'description' | 'asks' | 'delegates' | 'present' | 'memory' | 'settle'
> {
  /** Checks beyond the row: returns the input to run, or what is wrong with it. */
  check?(input: ToolInput<Name>, session: ToolSession): Checked
  /** For tools where that depends on the input. */
  readOnly?(input: ToolInput<Name>): boolean
  subject?(input: ToolInput<Name>, session: ToolSession): Subject
  run(input: ToolInput<Name>, call: ToolCall): Promise<ToolResult>
}

const SCHEMAS = new Map<FieldTable, JsonSchema>()

/** Some tools are made for each session; their schemas are not. */
function schemaFor(table: FieldTable): JsonSchema {
  let schema = SCHEMAS.get(table)
  if (schema === undefined) SCHEMAS.set(table, (schema = tableSchema(table)))
  return schema
}

/** A tool of the table: its name, its schema and the first check of an input come from its row. */
export function builtInTool<const Name extends BuiltInToolName>(name: Name, behavior: Behavior<Name>): Tool {
  const row: { readonly input: Rows[Name]['input']; readonly readOnly: boolean } = TOOL_TABLE[name]
  return {
    readOnly: () => row.readOnly,
    ...(behavior as unknown as Omit<Tool, 'name' | 'inputSchema' | 'check' | 'readOnly'>),
    name,
    inputSchema: schemaFor(row.input),
    check(input, session) {
      const checked = checkInput(row.input, input)
      return 'problem' in checked || behavior.check === undefined ? checked : behavior.check(checked.input, session)
    }
  }
}
