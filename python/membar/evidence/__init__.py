"""Independent checks of answers: certificates of proofs, and SV-COMP witnesses."""
