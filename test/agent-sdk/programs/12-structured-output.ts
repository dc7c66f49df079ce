/** An answer that is data: the first one does not fit the schema, and is asked for again. */
import { query } from 'carabiner'
import { z } from 'zod'

const Company = z.object({ name: z.string(), founded: z.number() })

for await (const message of query({
  prompt: 'Tell me about the company',
  options: { outputFormat: { type: 'json_schema', schema: z.toJSONSchema(Company) } }
})) {
  if (message.type === 'result') {
    if (message.subtype === 'success' && message.structured_output !== undefined) {
      const company = Company.parse(message.structured_output)
      console.log(company.name, company.founded)
    } else if (message.subtype === 'error_max_structured_output_retries') {
      console.log('no valid answer')
    }
  }
}
