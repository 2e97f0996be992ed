"""Everything that checks an answer again: certificates and witnesses."""
