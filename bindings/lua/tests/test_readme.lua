-- SPDX-License-Identifier: MIT
-- The programs of the README run, and print what it says.
local support = require "support"

local tests = {}

-- Returns the blocks of code: their kind and text.
local function blocks()
  local file <close> = assert(io.open(support.here .. "/../README.md"))
  local found = {}
  for kind, text in file:read("a"):gmatch("```(%a+)\n(.-)```") do
    found[#found + 1] = {kind = kind, text = text}
  end
  return found
end

function tests.the_programs_print_what_the_readme_says()
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder))
  local last, compared
  for _, block in ipairs(blocks()) do
    local name = block.text:match("^%-%- (%w+%.lua)\n")
    if block.kind == "lua" and name then
      local file <close> = assert(io.open(folder .. "/" .. name, "w"))
      file:write(block.text)
      last = name
    elseif block.kind == "text" then
      local out = support.output("cd " .. folder .. " && lua5.4 " .. last)
      support.same(out, block.text)
      compared = true
    end
  end
  os.execute("rm -r " .. folder)
  assert(compared)
end

return tests
